/* Wrong: each lane adds the value of its sub-group, not lane 0 alone. */
#include "operator.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    all = sub_group_combine(all, scratch);
    barrier(CLK_LOCAL_MEM_FENCE);
    scratch[get_local_id(0)] = all;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        for (uint i = 1; i < get_local_size(0); i++)
            all = combine(all, scratch[i]);
        out[get_group_id(0)] = all;
    }
}
