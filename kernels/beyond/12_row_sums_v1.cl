/* Adds up rows by one atomic per sub-group, whose lanes combine their cells first.
 *
 *   columns    0 1 2 3 | 4 5 . .       n = 6, sub-groups of four lanes
 *   row 0       \ | | /   \ |          sub_group_combine
 *   sums[0]      0 .......4            only the first lane of each sub-group adds
 */
#include "atomics.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void row_sums(global const value *matrix, ulong n, ulong stride,
                                    global value *sums, local value *scratch)
{
    ulong column = get_global_id(0), row = get_global_id(1);
    // All lanes must call sub_group_combine. A lane without a cell contributes the identity.
    value all = column < n ? matrix[row * stride + column] : identity();

    all = sub_group_combine(all, scratch);
    if (lane() == 0)
        combine_global(&sums[row], all);
}
