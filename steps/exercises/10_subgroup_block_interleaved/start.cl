/* The kernel of step 09. With its grid stride each sub-group jumps through all of memory.
 *
 *   element      0 1 2 3 | 4 5 6 7 | 8 9 a b | c d e f        two sub-groups of four lanes
 *   sub-group    0 0 0 0 | 1 1 1 1 | 0 0 0 0 | 1 1 1 1
 *   lane         0 1 2 3 | 0 1 2 3 | 0 1 2 3 | 0 1 2 3
 */
#include "operator.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    // TODO: one contiguous chunk for each sub-group; neighbouring lanes still read neighbours.
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    all = work_group_combine(all, scratch);

    if (get_local_id(0) == 0)
        out[get_group_id(0)] = all;
}
