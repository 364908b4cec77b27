/* The kernel of step 06, launched once. Each group writes its value, but no group combines them.
 *
 *   out          0         | 1       2      …  groups  | groups + 1
 *   holds        the result| the groups' values        | a counter, which is 0 at the beginning
 */
#include "operator.clh"
#include "atomics.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = all;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active / 2)
            scratch[id] = combine(scratch[id], scratch[id + upper]);
    }

    volatile global uint *places = (volatile global uint *)out + 1;
    // TODO: the group that arrives last combines all groups' values, and writes out[0].
    if (id == 0)
        atomic_xchg(places + get_group_id(0), (uint)scratch[0]);
}
