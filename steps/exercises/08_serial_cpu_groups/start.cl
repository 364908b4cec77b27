/* The kernel of step 06: at one time, neighbouring work-items read neighbouring elements.
 *
 *   element      0 1 2 3 | 4 5 6 7 | 8 9        n = 10, one group of four
 *   work-item    0 1 2 3 | 0 1 2 3 | 0 1
 */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

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
