/* Programs that only read: they read the same bytes as a reduction, but do almost no arithmetic.
 *
 *   read_vectors   0 0 0 0 … | 1 1 1 1 …       for CPUs: a contiguous block per work-item, read as
 *                  a  b  c  d                  four streams, one from each quarter of the block
 *   read_words     0 0 0 0 … | 1 1 1 1 …       the same, but the compiler chooses its vectors: on
 *                  a  b  c  d                  some CPUs this is faster, so the host tries both
 *   read_batches   0 1 0 1 0 1 0 1 | 2 3 …     for GPUs: 32 neighbours (here 2) read batches in
 *                  a a b b c c d d | a a …     turn; in each, a work-item has four loads in flight
 *
 * count is the number of vectors to read. Each work-item writes the xor of its words, because
 * otherwise the compiler would remove the reads.
 */
kernel void read_vectors(global const uint16 *in, ulong count, global uint *out)
{
    size_t block = (count + get_global_size(0) - 1) / get_global_size(0);
    size_t first = min(count, get_global_id(0) * block), length = min(count - first, (ulong)block);
    size_t quarter = length / 4;
    global const uint16 *p = in + first;

    uint16 a = 0, b = 0, c = 0, d = 0;
    for (size_t i = 0; i < quarter; i++) {
        a ^= p[i];
        b ^= p[i + quarter];
        c ^= p[i + 2 * quarter];
        d ^= p[i + 3 * quarter];
    }
    for (size_t i = 4 * quarter; i < length; i++)
        a ^= p[i];

    uint16 all = a ^ b ^ c ^ d;
    uint8 half8 = all.lo ^ all.hi;
    uint4 half4 = half8.lo ^ half8.hi;
    out[get_global_id(0)] = half4.x ^ half4.y ^ half4.z ^ half4.w;
}

kernel void read_words(global const uint16 *in, ulong count, global uint *out)
{
    size_t block = (count + get_global_size(0) - 1) / get_global_size(0);
    size_t first = min(count, get_global_id(0) * block), length = min(count - first, (ulong)block);
    size_t words = 16 * length, quarter = words / 4;
    global const uint *p = (global const uint *)(in + first);

    uint a = 0, b = 0, c = 0, d = 0;
    for (size_t i = 0; i < quarter; i++) {
        a ^= p[i];
        b ^= p[i + quarter];
        c ^= p[i + 2 * quarter];
        d ^= p[i + 3 * quarter];
    }
    out[get_global_id(0)] = a ^ b ^ c ^ d;
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

/* Combines the xor of all words into out[0]. Each of the three kernels above must give the
 * same xor. The host launches so many work-items that no loop is long. */
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

/* Occupies the GPU for about 50 us, because each iteration waits for the previous one. Meanwhile
 * the host appends the next launches to the queue. Therefore the device's clock does not include
 * the time that the host needs to enqueue them. */
kernel void hold(global uint *out, uint iterations)
{
    uint x = iterations;
    for (uint i = 0; i < iterations; i++)
        x = x * 1664525u + 1013904223u;
    out[0] = x;
}
