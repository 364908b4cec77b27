/* The kernel of step 06 for a minimum. Each group writes two values: .x and .y of an int2.
 *
 *   element      -5 -9 -2 -7        all are negative
 *   out.x        -9                 the minimum
 *   out.y        …                  the maximum, which is not computed yet
 */
kernel void reduce(global const int *in, ulong n, global int2 *out, local int2 *scratch)
{
    // TODO: the maximum too, in the same pass. Read each element only once.
    int2 both = (int2)(INT_MAX, INT_MIN);
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        both.x = min(both.x, in[i]);

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = both;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active / 2)
            scratch[id].x = min(scratch[id].x, scratch[id + upper].x);
    }

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
