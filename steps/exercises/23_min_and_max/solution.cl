/* Two accumulators, each with an identity of its own. Each element is read once.
 *
 *   element      -5 -9 -2 -7
 *   out.x        -9                 begins with the greatest int, INT_MAX
 *   out.y        -2                 begins with the least int, INT_MIN
 */
kernel void reduce(global const int *in, ulong n, global int2 *out, local int2 *scratch)
{
    int2 both = (int2)(INT_MAX, INT_MIN);
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        int x = in[i];
        both.x = min(both.x, x);
        both.y = max(both.y, x);
    }

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = both;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active / 2) {
            scratch[id].x = min(scratch[id].x, scratch[id + upper].x);
            scratch[id].y = max(scratch[id].y, scratch[id + upper].y);
        }
    }

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
