/* Each of G work-items combines every G-th element by itself, and then performs one atomic. The
 * distance G from one element to the next is called the grid stride.
 *
 *   element      0 1 | 2 3 | 4 5 | 6 7 | 8 9        n = 10, two work-items
 *   work-item    0 1 | 0 1 | 0 1 | 0 1 | 0 1
 *   time         0 0 | 1 1 | 2 2 | 3 3 | 4 4        neighbours read neighbouring elements
 */
#include "operator.clh"
#include "atomics.clh"

kernel void reduce(global const input *in, ulong n, global value *out)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) // the grid stride
        all = combine(all, load(in, i));

    combine_global(out, all);
}
