/* Every work-item combines its element into the same place in global memory by one atomic.
 *
 *   element      0   1   2   3   4   5   6   7   8   9        n = 10
 *   work-item    0   1   2   3   4   5   6   7   8   9
 *                 \   \   \   \   |   |   /   /   /   /
 *                                 out                         n atomics, one after another
 */
#include "operator.clh"
#include "atomics.clh"

kernel void reduce(global const input *in, ulong n, global value *out)
{
    ulong i = get_global_id(0);
    if (i < n) // the last group may have more work-items than elements
        combine_global(out, load(in, i));
}
