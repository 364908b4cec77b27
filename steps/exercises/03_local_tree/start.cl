/* All work-items of a group combine into one place of local memory. Then work-item 0 writes the
 * partial result of its group.
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
    // TODO: a tree instead of the atomics. scratch has a place for each work-item.
    if (id == 0)
        scratch[0] = identity();
    barrier(CLK_LOCAL_MEM_FENCE); // scratch[0] is set before any work-item combines into it
    combine_local(scratch, all);
    barrier(CLK_LOCAL_MEM_FENCE); // all work-items have combined

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
