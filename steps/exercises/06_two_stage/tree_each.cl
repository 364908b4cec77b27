/* Right, but not what was asked: a tree for each turn of the loop. */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    uint id = get_local_id(0), group = get_local_size(0);
    value all = identity();
    for (ulong first = get_global_id(0) - id; first < n; first += get_global_size(0)) {
        barrier(CLK_LOCAL_MEM_FENCE);
        scratch[id] = first + id < n ? load(in, first + id) : identity();
        for (uint width = group, upper; width > 1; width = upper) {
            upper = (width + 1) / 2;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (id < width / 2)
                scratch[id] = combine(scratch[id], scratch[id + upper]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        all = combine(all, scratch[0]);
    }
    if (id == 0)
        out[get_group_id(0)] = all;
}
