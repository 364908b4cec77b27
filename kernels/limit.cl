/* How fast can this device read at all? The same bytes as a reduction reads, with next to no work.
 *
 *   read_blocks    0 0 0 0 … | 1 1 1 1 …       for CPUs: a contiguous block per work-item, read as
 *                  a  b  c  d                  four streams, one from each quarter of the block
 *   read_lanes     0 1 2 3 | 0 1 2 3 | …       for GPUs: neighbours read neighbours, and each has
 *                  a       | b       | …       four loads under way before it needs the first
 *
 * count: vectors to read. The xor of all words is kept, or the compiler would leave the reads out.
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

/* What those must have found, in out[0]: the xor of all words, by so many that no loop is long. */
kernel void xor_all(global const uint4 *in, ulong count, global uint *out)
{
    size_t block = (count + get_global_size(0) - 1) / get_global_size(0);
    size_t first = min(count, get_global_id(0) * block), end = min(count, first + (ulong)block);

    uint4 all = 0;
    for (size_t i = first; i < end; i++)
        all ^= in[i];
    atomic_xor(out, all.x ^ all.y ^ all.z ^ all.w);
}

/* An empty launch: what a reduction of nothing would still cost. */
kernel void nothing(global uint *out)
{
    if (get_global_id(0) == 0)
        out[0] = 0;
}

/* A cold cache: writes over other memory, so that the input must come from main memory again. */
kernel void evict(global uint4 *other, ulong count)
{
    ulong i = get_global_id(0);
    if (i < count)
        other[i] = (uint4)(i);
}

/* Some 50 us of one work-item's time on a GPU: each iteration needs the one before. Launches behind
 * it stand ready when it ends, so that none of the host's time for them lies between their clock's
 * readings.
 */
kernel void hold(global uint *out, uint iterations)
{
    uint x = iterations;
    for (uint i = 0; i < iterations; i++)
        x = x * 1664525u + 1013904223u;
    out[0] = x;
}
