/* The tree of 04_commutative_tree.cl, but each group combines its result into one common place.
 *
 *   work-item    0    1    2    3   | 4    5    6    7        one group of eight
 *   active 8     04   15   26   37  <-'    '    '    '
 *   active 4     0426 1537 <-' '
 *   active 2     all <-'                                      active work-items stay together
 *
 * Each group performs one atomic, so the host has no partial results to combine.
 */
#include "operator.clh"
#include "atomics.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    ulong i = get_global_id(0);
    value all = i < n ? load(in, i) : identity();

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = all;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;     // start of the upper half; one value waits if active is odd
        barrier(CLK_LOCAL_MEM_FENCE); // the values of the previous round are visible
        if (id < active / 2)
            scratch[id] = combine(scratch[id], scratch[id + upper]);
    }

    if (id == 0)
        combine_global(out, scratch[0]);
}
