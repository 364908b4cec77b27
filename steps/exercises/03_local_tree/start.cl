/* All work-items of a group meet in one place of local memory; then each group leaves one partial.
 *
 *   element      0  1  2  3 | 4  5  6  7 | 8  9        n = 10, groups of four
 *                 \  \ /  /    \  \ /  /    \ |
 *   scratch[0]       .            .           .        four atomics, one after the other
 *   out              0            1           2        one partial result for each group
 */
#include "operator.clh"
#include "atomics.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    ulong i = get_global_id(0);
    value all = i < n ? load(in, i) : identity();

    uint id = get_local_id(0);
    // TODO: a tree in place of the atomics: scratch has room for one value of each work-item.
    if (id == 0)
        scratch[0] = identity();
    barrier(CLK_LOCAL_MEM_FENCE); // nobody combines before the identity stands there
    combine_local(scratch, all);
    barrier(CLK_LOCAL_MEM_FENCE); // nobody is still combining

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
