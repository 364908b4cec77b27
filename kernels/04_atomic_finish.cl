/* The tree of 04_commutative_tree.cl, but each group combines its result into one place itself.
 *
 *   work-item    0    1    2    3   | 4    5    6    7        one group of eight
 *   width 8      04   15   26   37  <-'    '    '    '
 *   width 4      0426 1537 <-' '
 *   width 2      all <-'                                      the active work-items stay together
 *
 * One atomic per group, and nothing is left for anybody to finish.
 */
#include "operator.clh"
#include "atomics.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    ulong i = get_global_id(0);
    value all = i < n ? load(in, i) : identity();

    uint id = get_local_id(0), group = get_local_size(0);
    scratch[id] = all;
    for (uint width = group, upper; width > 1; width = upper) {
        upper = (width + 1) / 2;      // where the upper half starts: an odd one out waits a round
        barrier(CLK_LOCAL_MEM_FENCE); // what the round before wrote is visible
        if (id < width / 2)
            scratch[id] = combine(scratch[id], scratch[id + upper]);
    }

    if (id == 0)
        combine_global(out, scratch[0]);
}
