/* The next matrix: each cell is divided by the sum of its row and multiplied by the sum of the row
 * that has its column's number. This kernel is as published, with two copies in local memory.
 *
 *   columns    0  1  2  3              one group of four work-items in row r
 *   own_row    sr                      all four read it: the group loads it once instead of 4 times
 *   factors    s0 s1 s2 s3             each is read only by the work-item that wrote it, so this
 *                                      copy saves nothing
 */
#include "operator.clh"
#pragma OPENCL FP_CONTRACT OFF

kernel void next_matrix(global value *matrix, ulong n, ulong stride, global const value *sums,
                        local value *factors)
{
    local value own_row;
    uint id = get_local_id(0);
    ulong column = get_global_id(0), row = get_global_id(1);

    if (id == 0)
        own_row = sums[row];
    factors[id] = column < n ? sums[column] : 0; // the article prints column % group_size
    barrier(CLK_LOCAL_MEM_FENCE); // own_row is visible

    if (column < n)
        matrix[row * stride + column] *= 1 / own_row * factors[id];
}
