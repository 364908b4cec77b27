/* Programs that only read: they read the same bytes as a reduction, but do almost no arithmetic.
 *
 *   read_blocks    0 0 0 0 … | 1 1 1 1 …       for CPUs: a contiguous block per work-item, read at
 *                  a  b  c  d                  four places, one in each quarter of the block. Some
 *                                              compilers make faster code of uint16, others choose
 *                                              faster vectors for uint, so the host tries both
 *   read_batches   0 1 0 1 0 1 0 1 | 2 3 …     for GPUs: 32 neighbours (here 2) read batches in
 *                  a a b b c c d d | a a …     turn; in each, a work-item has four loads in flight
 *
 * count is the number of vectors to read: of 64 bytes in read_blocks, of 16 in read_batches. Each
 * work-item writes the xor of its words, because otherwise the compiler would remove the reads.
 */
#if !defined VECTOR
#define VECTOR uint
#endif
kernel void read_blocks(global const VECTOR *in, ulong count, global uint *out)
{
    size_t block = (count + get_global_size(0) - 1) / get_global_size(0);
    size_t first = min(count, get_global_id(0) * block), length = min(count - first, (ulong)block);
    size_t each = 64 / sizeof(VECTOR), end = length * each, quarter = end / 4;
    global const VECTOR *p = in + first * each;

    VECTOR a = 0, b = 0, c = 0, d = 0;
    for (size_t i = 0; i < quarter; i++) {
        a ^= p[i];
        b ^= p[i + quarter];
        c ^= p[i + 2 * quarter];
        d ^= p[i + 3 * quarter];
    }
    for (size_t i = 4 * quarter; i < end; i++)
        a ^= p[i];

    a ^= b ^ c ^ d;
    uint all = 0;
    for (size_t k = 0; k < sizeof(VECTOR) / sizeof(uint); k++)
        all ^= ((uint *)&a)[k];
    out[get_global_id(0)] = all;
}

kernel void read_batches(global const uint4 *in, ulong count, global uint *out)
{
    size_t lanes = min(get_local_size(0), (size_t)32), lane = get_local_id(0) % lanes;
    size_t chunk = get_global_id(0) / lanes, chunks = get_global_size(0) / lanes;
    size_t batch = 4 * lanes, first = chunk * batch;

    uint4 a = 0, b = 0, c = 0, d = 0;
    for (; first + batch <= count; first += chunks * batch) {
        a ^= in[first + lane];
        b ^= in[first + lanes + lane];
        c ^= in[first + 2 * lanes + lane];
        d ^= in[first + 3 * lanes + lane];
    }
    for (size_t i = first + lane; i < min(first + batch, count); i += lanes) // a shorter batch
        a ^= in[i];

    a ^= b ^ c ^ d;
    out[get_global_id(0)] = a.x ^ a.y ^ a.z ^ a.w;
}

/* Combines the xor of all words into out[0]. Each of the kernels above must give the same xor. The
 * host launches so many work-items that no loop is long. */
kernel void xor_all(global const uint4 *in, ulong count, global uint *out)
{
    size_t block = (count + get_global_size(0) - 1) / get_global_size(0);
    size_t first = min(count, get_global_id(0) * block), end = min(count, first + (ulong)block);

    uint4 all = 0;
    for (size_t i = first; i < end; i++)
        all ^= in[i];
    atomic_xor(out, all.x ^ all.y ^ all.z ^ all.w);
}

/* Makes the cache cold: writes to other memory, so that the device must read the input from main
 * memory again. */
kernel void evict(global uint4 *other, ulong count)
{
    ulong i = get_global_id(0);
    if (i < count)
        other[i] = (uint4)(i);
}

/* Occupies the GPU for about 50 us, because each iteration waits for the previous one. measure.c
 * says why. */
kernel void hold(global uint *out, uint iterations)
{
    uint x = iterations;
    for (uint i = 0; i < iterations; i++)
        x = x * 1664525u + 1013904223u;
    out[0] = x;
}
