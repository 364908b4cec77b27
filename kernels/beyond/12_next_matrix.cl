/* The next matrix: each cell divided by its own row's sum, times the sum of the row that has its
 * column's number. As published, with a detour through local memory.
 *
 *   columns    0  1  2  3              one group of four in row r
 *   own_row    sr                      read by all four: one load for the group
 *   factors    s0 s1 s2 s3             each read by the work-item that wrote it: saves nothing
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
    factors[id] = column < n ? sums[column] : 0; // not sums[column % group], as the article prints
    barrier(CLK_LOCAL_MEM_FENCE);

    if (column < n)
        matrix[row * stride + column] *= 1 / own_row * factors[id];
}
