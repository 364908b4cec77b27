/* Each sub-group reads one contiguous chunk of whole rows of lanes. The last chunk may be shorter.
 *
 *   element      0 1 2 3 4 5 6 7 | 8 9 a b c d e f        two sub-groups of four lanes
 *   sub-group    0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1
 *   lane         0 1 2 3 0 1 2 3 | 0 1 2 3 0 1 2 3
 */
#include "operator.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    ulong rows = (n + lanes() - 1) / lanes(), chunks = get_global_size(0) / lanes();
    ulong length = (rows + chunks - 1) / chunks * lanes(); // of a chunk, in elements
    ulong first = min(n, get_global_id(0) / lanes() * length), end = min(n, first + length);

    value all = identity();
    for (ulong i = first + lane(); i < end; i += lanes())
        all = combine(all, load(in, i));

    all = work_group_combine(all, scratch);

    if (get_local_id(0) == 0)
        out[get_group_id(0)] = all;
}
