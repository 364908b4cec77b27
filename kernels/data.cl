/* The data that every reduction here is tried on, and the kernels that make it and look after it.
 *
 *   element     x0 x1 x2 …  x(n-1) | w  w  w …          w: the value that would win, or an odd word,
 *                                  |                    so that reading beyond n shows in the result
 *   sum         whole words; floats are small non-zero integers, exact in any order
 *   min, max    half the range, and one extreme planted at a chosen index, a step short of w
 *
 * Element i depends on i and the seed alone. made() is valid C too: the host's reference makes the same.
 */
#if defined SUM
#define PLANTED 0
#define POISON 0x5eed5eedu // odd, and not what a sum is likely to be
#elif defined MIN && defined FLOAT
#define PLANTED (-FLT_MAX)
#define POISON LOWEST
#elif defined MIN
#define PLANTED (LOWEST + 1)
#define POISON LOWEST
#elif defined FLOAT
#define PLANTED FLT_MAX
#define POISON HIGHEST
#else
#define PLANTED (HIGHEST - 1)
#define POISON HIGHEST
#endif

static inline uint scramble(ulong i, uint seed) // the finishing mix of MurmurHash3 (A. Appleby)
{
    uint x = (uint)i ^ (uint)(i >> 32) * 0x9e3779b9u ^ seed * 0x85ebca6bu;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

static inline element made(ulong i, ulong n, uint seed, ulong planted)
{
    uint random = scramble(i, seed);
    if (i >= n)
        return (element)POISON;
    if (i == planted)
        return (element)PLANTED;
#if defined SUM && defined FLOAT
    int small = (int)(random & 7) - 4; // -4 … 3
    return small < 0 ? small : small + 1;
#elif defined SUM
    return (element)random;
#elif defined FLOAT
    return (float)(int)random;
#elif defined INT
    return (int)(random >> 1) - (1 << 30);
#else
    return (random >> 1) + (1u << 30);
#endif
}

#if defined __OPENCL_VERSION__
/* n elements and guard more behind them. */
kernel void make(global element *in, ulong n, ulong guard, uint seed, ulong planted)
{
    ulong i = get_global_id(0);
    if (i < n + guard)
        in[i] = made(i, n, seed, planted);
}

/* changed[0]: how many of them are not what make() made any more; changed[2] (and 3): the index of one. */
kernel void find_changes(global const element *in, ulong n, ulong guard, uint seed, ulong planted,
                         volatile global uint *changed)
{
    ulong i = get_global_id(0);
    if (i < n + guard && in[i] != made(i, n, seed, planted)) {
        atomic_inc(changed);
        ((volatile global ulong *)changed)[1] = i;
    }
}

/* Leaves poison in all of the local memory, where the next kernel finds it if it forgets to write before it reads. */
kernel void poison_local(local value *scratch, uint count, global value *out)
{
    for (uint i = get_local_id(0); i < count; i += get_local_size(0))
        scratch[i] = (value)POISON;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = scratch[count - 1 - get_local_id(0)];
}
#endif
