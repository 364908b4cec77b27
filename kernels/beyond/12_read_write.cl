/* How fast can this device read and write the same bytes? What the next matrix is measured against.
 *
 *   blocks    0 0 0 0 | 1 1 1 1 | …      for CPUs: a contiguous block for each work-item
 *   lanes     0 1 2 3 | 0 1 2 3 | …      for GPUs: neighbours take neighbours, in grid stride
 *
 * zero is 0, which the compiler does not know: the bytes stay what they are.
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
