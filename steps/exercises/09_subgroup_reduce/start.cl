/* The kernel of step 06. Its tree is in local memory, with a barrier for each round.
 *
 *   work-item    0 1 2 3 | 4 5 6 7        one group of two sub-groups of four lanes
 *   sub-group    0 0 0 0 | 1 1 1 1        get_local_id(0) / lanes()
 *   lane         0 1 2 3 | 0 1 2 3        lane()
 */
#include "operator.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    // TODO: each sub-group combines its lanes; only one value of each goes through local memory.
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
