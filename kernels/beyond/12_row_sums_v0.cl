/* Adds up rows by one atomic per cell: each work-item adds its cell to the sum of the row.
 *
 *   columns    0 1 2 3 | 4 5           n = 6, groups of four along a row
 *   row 0      0 1 2 3 | 0 1           these six work-items add to sums[0] one after another
 *   row 1      0 1 2 3 | 0 1           and these six to sums[1]
 */
#include "atomics.clh"

kernel void row_sums(global const value *matrix, ulong n, ulong stride, global value *sums)
{
    ulong column = get_global_id(0), row = get_global_id(1);

    if (column < n)
        combine_global(&sums[row], matrix[row * stride + column]);
}
