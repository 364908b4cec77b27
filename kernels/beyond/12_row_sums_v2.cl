/* Adds up rows by one global atomic per group. Its sub-groups first combine in local memory.
 *
 *   columns    0 1 2 3 | 4 5 . .       n = 6, a group of two sub-groups of four lanes
 *   row 0       \ | | /   \ |          sub_group_combine
 *   shared       0 .......4            one local atomic per sub-group
 *   sums[0]          |                 one global atomic per group
 */
#include "atomics.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void row_sums(global const value *matrix, ulong n, ulong stride,
                                    global value *sums, local value *scratch)
{
    local value shared;
    ulong column = get_global_id(0), row = get_global_id(1);
    value all = column < n ? matrix[row * stride + column] : identity();

    all = sub_group_combine(all, scratch);
    if (get_local_id(0) == 0)
        shared = identity();
    barrier(CLK_LOCAL_MEM_FENCE); // the identity is visible
    if (lane() == 0)
        combine_local(&shared, all);
    barrier(CLK_LOCAL_MEM_FENCE); // all sub-groups have combined

    if (get_local_id(0) == 0)
        combine_global(&sums[row], shared);
}
