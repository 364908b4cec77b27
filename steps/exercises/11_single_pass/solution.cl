/* One launch. Each group writes its value and counts itself; the last group combines all values.
 *
 *   out          0         | 1       2      …  groups  | groups + 1
 *   holds        the result| the groups' values        | a counter, 0 before and after a launch
 */
#include "operator.clh"
#include "atomics.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    uint id = get_local_id(0), group_size = get_local_size(0), groups = get_num_groups(0);
    scratch[id] = all;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active / 2)
            scratch[id] = combine(scratch[id], scratch[id + upper]);
    }

    volatile global uint *places = (volatile global uint *)out + 1, *arrived = places + groups;
    if (id == 0) {
        atomic_xchg(places + get_group_id(0), (uint)scratch[0]);
        mem_fence(CLK_GLOBAL_MEM_FENCE);         // first the value, then the count
        if (atomic_inc(arrived) == groups - 1) { // all other groups are counted
            all = identity();
            for (uint g = 0; g < groups; g++)
                all = combine(all, (value)atomic_or(places + g, 0)); // an atomic read
            out[0] = all;
            atomic_xchg(arrived, 0); // for the next launch
        }
    }
}
