/* Wrong: all lanes begin at the first element of their run. */
#include "operator.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    ulong rows = (n + lanes() - 1) / lanes(), runs = get_global_size(0) / lanes();
    ulong length = (rows + runs - 1) / runs * lanes(); // of a run, in elements
    ulong first = min(n, get_global_id(0) / lanes() * length), end = min(n, first + length);

    value all = identity();
    for (ulong i = first; i < end; i += lanes())
        all = combine(all, load(in, i));

    all = work_group_combine(all, scratch);

    if (get_local_id(0) == 0)
        out[get_group_id(0)] = all;
}
