/* As in 06_two_stage.cl, but a function of OpenCL combines the values of the group, in an order
 * that it chooses.
 *
 *   work-item    0 1 2 3 4 5 6 7        one group
 *                 \ | | | | | | /
 *                       all             every work-item receives the result
 */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) // the grid stride
        all = combine(all, load(in, i));

    all = REDUCE_OVER(work_group)(all);

    if (get_local_id(0) == 0)
        out[get_group_id(0)] = all;
}
