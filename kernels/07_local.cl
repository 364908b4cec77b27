/* Each work-item loads one vector, and combines its values into one. Then the group combines these
 * values by atomics in local memory.
 *
 *   element      0 1 2 3 | 4 5 6 7 | 8 9        n = 10, WIDTH = 4
 *   work-item    0 0 0 0 | 1 1 1 1 | 2 3        one work-item for each of the last n mod 4
 *   scratch[0]      \  \   /  /                 one local atomic per work-item
 *   out                 |                       one global atomic per group
 */
#include "operator.clh"
#include "atomics.clh"
#include "vectors.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    ulong i = get_global_id(0), vectors = n / WIDTH, rest = vectors * WIDTH + (i - vectors);

    if (get_local_id(0) == 0)
        scratch[0] = identity();
    barrier(CLK_LOCAL_MEM_FENCE); // scratch[0] is set before any work-item combines
    if (i < vectors)
        combine_local(scratch, fold(load_values(in, i)));
    else if (rest < n)
        combine_local(scratch, load(in, rest));
    barrier(CLK_LOCAL_MEM_FENCE); // all work-items have combined

    if (get_local_id(0) == 0)
        combine_global(out, scratch[0]);
}
