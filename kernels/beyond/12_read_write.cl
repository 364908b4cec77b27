/* The fastest way to read bytes and write them back: the limit for the next matrix.
 *
 *   blocks    0 0 0 0 | 1 1 1 1 | …      for CPUs: each work-item has a contiguous block
 *   lanes     0 1 2 3 | 0 1 2 3 | …      for GPUs: neighbouring work-items, neighbouring vectors
 *
 * `zero` is 0, so the bytes keep their values; the compiler cannot know that.
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
