/* The kernel of step 06 for pairs. It adds up all x.
 *
 *   element      x0 y0 | x1 y1 | x2 y2 | x3 y3        one pair is 8 bytes, and one load
 *   work-item      0       1       0       1
 */
kernel void reduce(global const int2 *in, ulong n, global long *out, local long *scratch)
{
    long all = 0;
    // TODO: add the products x * y, not x.
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all += in[i].x;

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
