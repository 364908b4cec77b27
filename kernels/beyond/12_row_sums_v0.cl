/* Row sums, one work-item for each cell, which adds it to its row's sum: an atomic for each cell.
 *
 *   columns    0 1 2 3 | 4 5           n = 6, groups of four along a row
 *   row 0      0 1 2 3 | 0 1           these six all want sums[0], one after the other
 *   row 1      0 1 2 3 | 0 1           sums[1]
 */
#include "atomics.clh"

kernel void row_sums(global const value *matrix, ulong n, ulong stride, global value *sums)
{
    ulong column = get_global_id(0), row = get_global_id(1);

    if (column < n)
        combine_global(&sums[row], matrix[row * stride + column]);
}
