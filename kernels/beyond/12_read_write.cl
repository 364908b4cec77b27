/* Reads bytes and writes them back as fast as possible. This is the limit for the next matrix.
 *
 *   blocks    0 0 0 0 | 1 1 1 1 | …      for CPUs: each work-item has a contiguous block
 *   lanes     0 1 2 3 | 0 1 2 3 | …      for GPUs: neighbours read neighbouring vectors
 *
 * `zero` is 0, so the bytes keep their values. The compiler does not know that, so it cannot remove
 * the writes.
 */
kernel void blocks(global uint16 *bytes, ulong count, uint zero)
{
    size_t block = (count + get_global_size(0) - 1) / get_global_size(0);
    size_t first = get_global_id(0) * block, end = min(count, (ulong)(first + block));

    for (size_t i = first; i < end; i++)
        bytes[i] ^= zero;
}

kernel void lanes(global uint4 *bytes, ulong count, uint zero)
{
    for (size_t i = get_global_id(0); i < count; i += get_global_size(0))
        bytes[i] ^= zero;
}
