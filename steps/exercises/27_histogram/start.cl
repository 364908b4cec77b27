/* A histogram for each group, counted in global memory by an atomic for each element.
 *
 *   element      7 3 7 7 0 …            its lower 8 bits are its bin
 *   out          1 0 0 1 0 0 0 3 …      256 bins for each group
 */
kernel void reduce(global const int *in, ulong n, global uint *out)
{
    uint id = get_local_id(0), group_size = get_local_size(0);
    // TODO: count in local memory, and write each bin to out once.
    volatile global uint *bins = out + get_group_id(0) * 256;
    for (uint bin = id; bin < 256; bin += group_size)
        bins[bin] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);

    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(bins + in[i] % 256u);
}
