/* Each work-item first combines many elements by itself; then its group builds the tree.
 *
 *   iteration    0       | 1       | 2          n = 10, one group of four
 *   element      0 1 2 3 | 4 5 6 7 | 8 9
 *   work-item    0 1 2 3 | 0 1 2 3 | 0 1        neighbouring work-items read neighbouring elements
 *                then the tree of 04_commutative_tree.cl over the values of the four work-items
 */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) // the grid stride
        all = combine(all, load(in, i));

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = all;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;     // start of the upper half; one value waits if active is odd
        barrier(CLK_LOCAL_MEM_FENCE); // the values of the previous round are visible
        if (id < active / 2)
            scratch[id] = combine(scratch[id], scratch[id + upper]);
    }

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
