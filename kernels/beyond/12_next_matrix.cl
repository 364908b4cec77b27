/* Computes the next matrix. The cell in row r and column c is divided by the sum of row r and then
 * multiplied by the sum of row c. The kernel is as published, with two copies in local memory.
 *
 *   columns    0  1  2  3              one group of four work-items in row r
 *   own_row    sr                      all four need it, but only one of them loads it
 *   factors    s0 s1 s2 s3             only the work-item that wrote a factor reads it, so this
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
