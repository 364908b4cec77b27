/* The article's stop test: does each row sum differ by less than epsilon from the next row sum? The
 * last row sum is compared with the first.
 *
 *   sums       s0    s1    s2    s3       n = 4, one group
 *   compare    s0 s1 s1 s2 s2 s3 s3 s0
 *   flag       1 if all differences are small enough. Each group combines by a tree, and then
 *              performs one atomic minimum
 */
#include "atomics.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void stop(global const float *sums, ulong n, float epsilon,
                                global value *flag, local value *scratch)
{
    ulong i = get_global_id(0);
    value near = identity();
    if (i < n) // the comparison is false for a NaN
        near = fabs(sums[i] - sums[(i + 1) % n]) < epsilon;

    near = work_group_combine(near, scratch);
    if (get_local_id(0) == 0)
        combine_global(flag, near);
}
