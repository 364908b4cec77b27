/* Right, but not what was asked: work-item 0 combines all values, one after the other. */
kernel void reduce(global const int *in, ulong n, global int *out, local int *scratch)
{
    uint id = get_local_id(0), group = get_local_size(0);
    ulong i = get_global_id(0);
    scratch[id] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        int all = 0;
        for (uint k = 0; k < group; k++)
            all += scratch[k];
        out[get_group_id(0)] = all;
    }
}
