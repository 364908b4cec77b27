/* Each sub-group combines one element per lane. Then its first lane combines the value of the
 * sub-group into the result.
 *
 *   work-item    0 1 2 3 | 4 5 6 7        sub-groups of four lanes
 *                 \ | | /   \ | | /       sub_group_combine
 *   out            0 .......4             one global atomic per sub-group
 */
#include "operator.clh"
#include "atomics.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    ulong i = get_global_id(0);
    value all = sub_group_combine(i < n ? load(in, i) : identity(), scratch);

    if (lane() == 0)
        combine_global(out, all);
}
