/* The data that every reduction here is tried on, and the kernels that make it and look after it.
 *
 *   element          x0 x1 x2 …  x(n-1) | w  w  w …     w: what would win, or an odd word, so that
 *                                       |               reading beyond n shows in the result
 *   others           whole words, or what its MADE() makes of them; floats are a few quarters,
 *                    doubles a little more than that: a sum of them is exact in any order
 *   min, max         half the range, and one extreme planted at a chosen index, a step short of w
 *   argmin, argmax   a hundred different values: ties abound; the extreme has equals behind it
 *   nans             of these four; floats: every nans-th is a NaN, some others the identity;
 *                    integers: 1: all are the identity; 2: all lie on the losing side of 0, no NaN
 *   uniform          floats of a sum lie evenly between 0 and 1 instead: the order of additions
 *                    counts; multiples of 2^-24: a sum of 2^29 of them is still exact in double
 *
 * Element i depends on i and the seed alone. made() is C too: the host's reference makes the same.
 */
#include "operator.clh"

#if defined LEAST_WINS
#define WINNER LOWEST
#define LOSER HIGHEST
#define LOSING +
#if defined FLOAT
#define PLANTED (-FLT_MAX)
#elif defined DOUBLE
#define PLANTED (-DBL_MAX)
#else
#define PLANTED (LOWEST + 1)
#endif
#elif defined GREATEST_WINS
#define WINNER HIGHEST
#define LOSER LOWEST
#define LOSING -
#if defined FLOAT
#define PLANTED FLT_MAX
#elif defined DOUBLE
#define PLANTED DBL_MAX
#else
#define PLANTED (HIGHEST - 1)
#endif
#else
#define WINNER 0x5eed5eedu // odd, and not what a sum is likely to be
#endif

#if !defined POISON
#define POISON ((value)WINNER)
#endif
#if !defined SHOWN // a sum of int that wrapped around in uint reads as the int it is
#define SHOWN(v) ((element)(v))
#endif

static inline uint scramble(ulong i, uint seed) // the finishing mix of MurmurHash3 (A. Appleby)
{
    uint x = (uint)i ^ (uint)(i >> 32) * 0x9e3779b9u ^ seed * 0x85ebca6bu;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

static inline element made(ulong i, ulong n, uint seed, ulong planted, ulong nans, uint uniform)
{
#if defined LONG || defined ULONG
    ulong random = (ulong)scramble(i, seed) << 32 | scramble(i, ~seed);
#else
    uint random = scramble(i, seed);
#endif
    (void)planted, (void)nans, (void)uniform;
    if (i >= n)
        return (element)WINNER;
#if defined PLANTED
#if defined HAS_INDEX
    if (i >= planted && (i - planted) % 256 == 0)
        return (element)PLANTED;
#else
    if (i == planted)
        return (element)PLANTED;
#endif
#if defined FLOATING
    if (nans && nans != 2 && i % nans == nans - 1)
        return (element)NAN;
    if (nans && nans != 2 && i % 5 == 4)
        return (element)LOSER;
#else
    if (nans == 1)
        return (element)LOSER;
#endif
#if defined HAS_INDEX
    return (element)(random % 100 + 1);
#elif defined FLOATING
    return nans == 2 ? LOSING (element)((random >> 8) + 1) : (element)(int)random;
#elif defined INT || defined LONG
    return nans == 2 ? LOSING (element)((random >> 2) + 1) : (element)(random >> 1) + LOWEST / 2;
#else
    return (random >> 1) + (HIGHEST / 4 + 1);
#endif
#elif defined MADE
    return (element)MADE(random);
#elif defined FLOATING
    if (uniform)
        return (random >> 8) * 0x1p-24f;
    int small = (int)(random & 7) - 4; // -4 … 3
    small += small >= 0; // no branch: half of them, guessed wrong, would cost ten times as much
#if defined FLOAT
    return small * 0.25f; // an accumulator of int would not do
#else
    return small * (0.25 + 0x1p-29); // nor one of float
#endif
#else
    return (element)random;
#endif
}

#if defined __OPENCL_C_VERSION__
/* n elements and guard more behind them. */
kernel void make(global element *in, ulong n, ulong guard, uint seed, ulong planted, ulong nans,
                 uint uniform)
{
    ulong i = get_global_id(0);
    if (i < n + guard)
        in[i] = made(i, n, seed, planted, nans, uniform);
}

/* changed[0]: how many of them are not what make() made; changed[2] and [3]: where one is. */
kernel void find_changes(global const element *in, ulong n, ulong guard, uint seed, ulong planted,
                         ulong nans, uint uniform, volatile global uint *changed)
{
    ulong i = get_global_id(0);
    if (i >= n + guard)
        return;
    element is = in[i], was = made(i, n, seed, planted, nans, uniform);
    bool both_nan = IS_NAN(is) & IS_NAN(was); // and so not equal to each other
    if (is != was && !both_nan) {
        atomic_inc(changed);
        ((volatile global ulong *)changed)[1] = i;
    }
}

/* Leaves one value all over local memory: who reads there before it has written finds that. */
kernel void fill_local(local value *scratch, uint count, ulong bits, global value *out)
{
    union {
        ulong bits;
        value v;
    } with = { bits }; // a value has 8 bytes at most
    for (uint i = get_local_id(0); i < count; i += get_local_size(0))
        scratch[i] = with.v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = scratch[count - 1 - get_local_id(0)];
}
#endif
