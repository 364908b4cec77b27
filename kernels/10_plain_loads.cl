/* The same index map in plain loads, without sub-groups: a group is a table of lanes x runs.
 *
 *   element      0 1 2 3 4 5 6 7 | 8 9 a b c d e f | g h    n = 18, one group of 4 lanes x 2 runs
 *   run          0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1 | 0 0    get_global_id(1)
 *   lane         0 1 2 3 0 1 2 3 | 0 1 2 3 0 1 2 3 | 0 1    get_local_id(0)
 */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    size_t lane = get_local_id(0), lanes = get_local_size(0);
    size_t run = get_global_id(1), runs = get_global_size(1);
    size_t rows = n / lanes; // whole rows of lanes
    size_t length = (rows + runs - 1) / runs;
    size_t first = min(rows, run * length), end = min(rows, first + length);

    value all = identity();
    for (size_t i = first; i < end; i++)
        all = combine(all, load(in, i * lanes + lane));
    for (size_t i = (rows + run) * lanes + lane; i < n; i += runs * lanes)
        all = combine(all, load(in, i));

    uint id = get_local_id(1) * lanes + lane, group = lanes * get_local_size(1);
    scratch[id] = all;
    for (uint width = group, upper; width > 1; width = upper) {
        upper = (width + 1) / 2;      // where the upper half starts: an odd one out waits a round
        barrier(CLK_LOCAL_MEM_FENCE); // what the round before wrote is visible
        if (id < width / 2)
            scratch[id] = combine(scratch[id], scratch[id + upper]);
    }

    if (id == 0)
        out[get_group_id(1)] = scratch[0];
}
