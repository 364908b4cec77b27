/* Each group counts in local memory. Then it writes each bin to out, once.
 *
 *   element      7 3 7 7 0 …            its lower 8 bits are its bin
 *   bins         1 0 0 1 0 0 0 3 …      in local memory, shared by the group
 */
kernel void reduce(global const int *in, ulong n, global uint *out)
{
    local uint bins[256];
    uint id = get_local_id(0), group_size = get_local_size(0);
    for (uint bin = id; bin < 256; bin += group_size)
        bins[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE); // all bins are 0

    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(bins + in[i] % 256u);
    barrier(CLK_LOCAL_MEM_FENCE); // all elements are counted

    for (uint bin = id; bin < 256; bin += group_size)
        out[get_group_id(0) * 256 + bin] = bins[bin];
}
