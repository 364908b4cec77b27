/* One work-item combines all elements, as the loop of step 01 does. All other work-items are idle.
 *
 *   element      0   1   2   3   4   5   6   7   8   9        n = 10
 *   work-item    0   0   0   0   0   0   0   0   0   0
 *   out[0] holds the identity when the launch begins.
 */
#include "operator.clh"
#include "atomics.clh"

kernel void reduce(global const input *in, ulong n, global value *out)
{
    // TODO: each work-item combines its own element, all at the same time.
    if (get_global_id(0) == 0)
        for (ulong i = 0; i < n; i++)
            out[0] = combine(out[0], load(in, i));
}
