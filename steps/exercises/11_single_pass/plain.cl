/* Wrong: the values are written and read as if no other group were running. */
#include "operator.clh"
#include "atomics.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    value all = identity();
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    uint id = get_local_id(0), group = get_local_size(0), groups = get_num_groups(0);
    scratch[id] = all;
    for (uint width = group, upper; width > 1; width = upper) {
        upper = (width + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < width / 2)
            scratch[id] = combine(scratch[id], scratch[id + upper]);
    }

    volatile global uint *values = (volatile global uint *)out + 1, *arrived = values + groups;
    if (id == 0) {
        values[get_group_id(0)] = (uint)scratch[0];
        if (atomic_inc(arrived) == groups - 1) { // all others have been here
            all = identity();
            for (uint g = 0; g < groups; g++)
                all = combine(all, (value)values[g]);
            out[0] = all;
            atomic_xchg(arrived, 0); // for the next launch
        }
    }
}
