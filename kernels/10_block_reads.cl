/* Each sub-group reads one contiguous chunk. In each load its lanes read neighbouring elements.
 *
 *   element      0 1 2 3 4 5 6 7 | 8 9 a b c d e f | g h    n = 18, two sub-groups of four lanes
 *   sub-group    0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1 | 0 0    the tail as in step 06
 *   lane         0 1 2 3 0 1 2 3 | 0 1 2 3 0 1 2 3 | 0 1
 *   time         0 0 0 0 1 1 1 1 | 0 0 0 0 1 1 1 1 | 2 2    WIDTH = 1; with 2, all at time 0
 */
#include "operator.clh"
#include "subgroup.clh"
#include "vectors.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    ulong tile = WIDTH * lanes();                // elements that a sub-group reads at once
    ulong whole = n / tile * tile;               // elements in whole tiles
    ulong chunks = get_global_size(0) / lanes(); // one for each sub-group of the launch
    ulong length = (whole / tile + chunks - 1) / chunks * tile;
    ulong first = min(whole, get_global_id(0) / lanes() * length), end = min(whole, first + length);

    values many = identities();
    for (ulong i = first; i < end; i += tile)
        many = combine_values(many, block_read(in, i));
    value all = fold(many);
    for (ulong i = whole + get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    all = work_group_combine(all, scratch);

    if (get_local_id(0) == 0)
        out[get_group_id(0)] = all;
}
