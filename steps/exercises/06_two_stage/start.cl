/* The kernel of step 04, launched by the plan of step 06, which launches a fixed number of groups.
 *
 *   element      0 1 2 3 | 4 5 6 7 | 8 9        n = 10, one group of four
 *   work-item    0 1 2 3 | none    | none
 */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    // TODO: each work-item combines many elements by itself, before the tree.
    ulong i = get_global_id(0);
    value all = i < n ? load(in, i) : identity();

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = all;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active / 2)
            scratch[id] = combine(scratch[id], scratch[id + upper]);
    }

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
