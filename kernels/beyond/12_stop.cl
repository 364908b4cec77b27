/* The article's stop test: no row sum is epsilon or more away from its neighbour's, in a circle.
 *
 *   sums       s0    s1    s2    s3       n = 4, one group
 *   compare    s0 s1 s1 s2 s2 s3 s3 s0    the last pair wraps around
 *   flag       1 where all are near: a tree in the group, an atomic minimum for each group
 */
#include "atomics.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void stop(global const float *sums, ulong n, float epsilon,
                                global value *flag, local value *scratch)
{
    ulong i = get_global_id(0);
    value near = identity();
    if (i < n) // a NaN is near to nothing
        near = fabs(sums[i] - sums[(i + 1) % n]) < epsilon;

    near = work_group_combine(near, scratch);
    if (get_local_id(0) == 0)
        combine_global(flag, near);
}
