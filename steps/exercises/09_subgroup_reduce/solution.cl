/* The lanes of each sub-group combine by themselves. Then one work-item combines the values of the
 * sub-groups.
 *
 *   work-item    0 1 2 3 | 4 5 6 7        one group of two sub-groups
 *   sub-group     \ | | /   \ | | /
 *   scratch         0         1
 *   out             0---------'
 */
#include "operator.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    uint id = get_local_id(0), sub_groups = get_local_size(0) / lanes();
    all = sub_group_combine(all, scratch);
    barrier(CLK_LOCAL_MEM_FENCE); // no lane uses scratch any more
    if (lane() == 0)
        scratch[id / lanes()] = all;
    barrier(CLK_LOCAL_MEM_FENCE); // scratch holds a value of each sub-group

    if (id == 0) {
        for (uint s = 1; s < sub_groups; s++)
            all = combine(all, scratch[s]);
        out[get_group_id(0)] = all;
    }
}
