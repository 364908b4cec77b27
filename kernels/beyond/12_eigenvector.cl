/* The eigenvector of this round: v[i] takes the share that row i's sum is of the largest.
 *
 *   maximum    m                       v0: every work-item loads it
 *   shared     m | m | m               v1: the first of each group, and the others read its copy
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
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        vector[i] *= sums[i] / shared;
}
