/* Every work-item combines its element into one place in the local memory of its group. Then each
 * group combines its value into the result in global memory.
 *
 *   element      0  1  2  3 | 4  5  6  7 | 8  9        n = 10, groups of four
 *                 \  \ /  /    \  \ /  /    \ |
 *   scratch[0]       .            .           .        atomics in local memory take less time
 *                     \           |          /
 *   out                           .                    one atomic per group in global memory
 */
#include "operator.clh"
#include "atomics.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    ulong i = get_global_id(0);

    if (get_local_id(0) == 0)
        scratch[0] = identity();
    barrier(CLK_LOCAL_MEM_FENCE); // scratch[0] is set before any work-item combines
    if (i < n)
        combine_local(scratch, load(in, i));
    barrier(CLK_LOCAL_MEM_FENCE); // all work-items have combined

    if (get_local_id(0) == 0)
        combine_global(out, scratch[0]);
}
