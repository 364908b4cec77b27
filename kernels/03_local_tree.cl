/* A tree in local memory: neighbours combine first, so the order of the elements is kept.
 *
 *   work-item    0   1   2   3   4   5   6   7        one group of eight
 *   offset 1     01 <'   23 <'   45 <'   67 <'
 *   offset 2     0123 <--'       4567 <--'
 *   offset 4     01234567 <------'                    active work-items move apart
 *
 * Each group writes one partial result.
 */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    ulong i = get_global_id(0);
    value all = i < n ? load(in, i) : identity();

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = all;
    for (uint offset = 1; offset < group_size; offset *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE); // the values of the previous round are visible
        if ((id & (2 * offset - 1)) == 0 && id + offset < group_size) // & is faster than %
            scratch[id] = combine(scratch[id], scratch[id + offset]);
    }

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
