/* Updates the eigenvector: multiplies each element by its row sum and divides it by the largest
 * row sum m.
 *
 *   maximum    m                       each_loads: every work-item loads m
 *   shared     m | m | m               leader_loads: one work-item of each group loads m, and the
 *                                      others read its copy in local memory
 *   vector     v0 v1 v2 …              v[i] = v[i] * (s[i] / m)
 */
#include "operator.clh"

kernel void each_loads(global const value *sums, ulong n, global const value *maximum,
                       global value *vector)
{
    ulong i = get_global_id(0);

    if (i < n)
        vector[i] *= sums[i] / maximum[0];
}

kernel void leader_loads(global const value *sums, ulong n, global const value *maximum,
                         global value *vector)
{
    local value shared;
    ulong i = get_global_id(0);

    if (get_local_id(0) == 0)
        shared = maximum[0];
    barrier(CLK_LOCAL_MEM_FENCE); // the copy is visible
    if (i < n)
        vector[i] *= sums[i] / shared;
}
