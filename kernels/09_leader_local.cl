/* As in 09_leader_global.cl, but first the sub-groups of a group combine in local memory.
 *
 *   work-item    0 1 2 3 | 4 5 6 7        one group of two sub-groups of four lanes
 *                 \ | | /   \ | | /       sub_group_combine
 *   shared         0 .......4             one local atomic per sub-group
 *   out                |                  one global atomic per group
 */
#include "operator.clh"
#include "atomics.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    local value shared;
    ulong i = get_global_id(0);
    value all = sub_group_combine(i < n ? load(in, i) : identity(), scratch);

    if (get_local_id(0) == 0)
        shared = identity();
    barrier(CLK_LOCAL_MEM_FENCE); // `shared` is set before any lane combines
    if (lane() == 0)
        combine_local(&shared, all);
    barrier(CLK_LOCAL_MEM_FENCE); // all sub-groups have combined

    if (get_local_id(0) == 0)
        combine_global(out, shared);
}
