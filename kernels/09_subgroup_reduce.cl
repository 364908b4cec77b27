/* As in 06_two_stage.cl, but the lanes of a sub-group combine without local memory or barriers.
 *
 *   work-item    0 1 2 3 | 4 5 6 7        one group of two sub-groups
 *   sub-group     \ | | /   \ | | /       sub_group_combine, by the hardware
 *                   0         4           local memory holds one value per sub-group
 *                    \       /
 *                       all
 */
#include "operator.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) // the grid stride
        all = combine(all, load(in, i));

    all = work_group_combine(all, scratch);

    if (get_local_id(0) == 0)
        out[get_group_id(0)] = all;
}
