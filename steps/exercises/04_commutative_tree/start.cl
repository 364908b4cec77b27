/* The tree of step 03: neighbours combine, so the order of the elements is kept.
 *
 *   work-item    0   1   2   3   4   5   6   7        one group of eight
 *   offset 1     01 <'   23 <'   45 <'   67 <'
 *   offset 2     0123 <--'       4567 <--'
 *   offset 4     01234567 <------'              active work-items lie further apart each time
 */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    ulong i = get_global_id(0);
    value all = i < n ? load(in, i) : identity();

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = all;
    // TODO: another loop: the lower half combines with the upper half, and so on.
    for (uint offset = 1; offset < group_size; offset *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((id & (2 * offset - 1)) == 0 && id + offset < group_size)
            scratch[id] = combine(scratch[id], scratch[id + offset]);
    }

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
