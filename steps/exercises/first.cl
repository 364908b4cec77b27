/* A first kernel: work-item 0 of each group combines what its group has loaded.
 *
 *   element      0 1 2 3 | 4 5 6 7 | 8 9        n = 10, groups of four
 *   scratch      0 1 2 3 | 4 5 6 7 | 8 9 e e    e: the identity, where there is no element
 *   out                0 |       1 |       2    one partial result for each group
 */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    ulong i = get_global_id(0); // this work-item's number in the launch
    uint id = get_local_id(0), group_size = get_local_size(0); // its number in the group; the size

    scratch[id] = i < n ? load(in, i) : identity(); // no element: identity
    barrier(CLK_LOCAL_MEM_FENCE);                   // all work-items of the group have written

    if (id == 0) { // one work-item continues, the others have finished
        value all = identity();
        for (uint k = 0; k < group_size; k++)
            all = combine(all, scratch[k]);
        out[get_group_id(0)] = all;
    }
}
