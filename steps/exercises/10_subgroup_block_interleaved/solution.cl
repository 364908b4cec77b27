/* Each sub-group reads one contiguous chunk of whole rows, by one load for each row. The first
 * work-items of the launch read the last elements, which do not fill a row.
 *
 *   element      0 1 2 3 | 4 5 6 7 | 8 9 a b | c d e f | g h    two sub-groups of four lanes
 *   row          0       | 1       | 2       | 3       |
 *   sub-group    0 0 0 0 | 0 0 0 0 | 1 1 1 1 | 1 1 1 1 | 0 0
 *   lane         0 1 2 3 | 0 1 2 3 | 0 1 2 3 | 0 1 2 3 | 0 1
 */
#include "operator.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    ulong rows = n / lanes(), chunks = get_global_size(0) / lanes();
    ulong length = (rows + chunks - 1) / chunks; // of a chunk, in rows
    ulong first = min(rows, get_global_id(0) / lanes() * length), end = min(rows, first + length);

    value all = identity();
    for (ulong row = first; row < end; row++)
        all = combine(all, block_read(in, row * lanes()));
    for (ulong i = rows * lanes() + get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    all = work_group_combine(all, scratch);

    if (get_local_id(0) == 0)
        out[get_group_id(0)] = all;
}
