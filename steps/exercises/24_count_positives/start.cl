/* The kernel of step 06: it counts elements greater than 0, one with each load.
 *
 *   element      3 -1 0 8 | -2 5 5 -4 | 7 0        n = 10
 *   greater      1  0 0 1 |  0 1 1  0 | 1 0        out: 5
 */
kernel void reduce(global const int *in, ulong n, global uint *out, local uint *scratch)
{
    // TODO: int4 instead of int, so that one load and one comparison serve four elements.
    uint all = 0;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all += in[i] > 0;

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = all;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active / 2)
            scratch[id] += scratch[id + upper];
    }

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
