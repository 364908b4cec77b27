/* How fast can this device read? read_blocks and read_lanes read the same bytes as a reduction, but
 * do almost no arithmetic.
 *
 *   read_blocks    0 0 0 0 … | 1 1 1 1 …       for CPUs: a contiguous block per work-item, read as
 *                  a  b  c  d                  four streams, one from each quarter of the block
 *   read_lanes     0 1 2 3 | 0 1 2 3 | …       for GPUs: neighbouring work-items read neighbouring
 *                  a       | b       | …       vectors, and each has four loads in flight
 *
 * count is the number of vectors to read. The kernel writes the xor of all words, because otherwise
 * the compiler would remove the reads.
 */
kernel void read_blocks(global const uint16 *in, ulong count, global uint *out)
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

kernel void read_lanes(global const uint4 *in, ulong count, global uint *out)
{
    size_t stride = get_global_size(0), i = get_global_id(0);

    uint4 a = 0, b = 0, c = 0, d = 0;
    for (; i + 3 * stride < count; i += 4 * stride) {
        a ^= in[i];
        b ^= in[i + stride];
        c ^= in[i + 2 * stride];
        d ^= in[i + 3 * stride];
    }
    for (; i < count; i += stride)
        a ^= in[i];

    a ^= b ^ c ^ d;
    out[get_global_id(0)] = a.x ^ a.y ^ a.z ^ a.w;
}

/* Combines the xor of all words into out[0]. The results of the two kernels above must give the
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

/* An empty launch: the cost of launching alone. */
kernel void nothing(global uint *out)
{
    if (get_global_id(0) == 0)
        out[0] = 0;
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
