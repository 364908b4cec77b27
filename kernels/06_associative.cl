/* Two stages with the order kept, yet neighbours read neighbours: local memory transposes them.
 *
 *   element      0 1 2 3 | 4 5 6 7 | 8 9 a b | c d e f    one group of four, KEPT = 2
 *   run          0 0 0 0 | 1 1 1 1 | 2 2 2 2 | 3 3 3 3    run r belongs to work-item r, in order
 *   read by      0 1     | 2 3     | 0 1     | 2 3        iteration 0: KEPT of each run
 *                    0 1 |     2 3 |     0 1 |     2 3    iteration 1
 *
 * scratch holds KEPT elements of each run and one place more: the runs start in different banks.
 */
#include "operator.clh"
#define KEPT 16
kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    uint id = get_local_id(0), group = get_local_size(0);
    ulong runs = (ulong)get_num_groups(0) * group, length = (n + runs - 1) / runs;
    ulong base = get_group_id(0) * group * length; // of the group's first run

    value all = identity();
    for (ulong done = 0; done < length; done += KEPT) {
        for (uint turn = 0; turn < KEPT; turn++) {
            uint place = turn * group + id, run = place / KEPT, k = place % KEPT;
            ulong i = base + run * length + done + k;
            scratch[run * (KEPT + 1) + k] = done + k < length && i < n ? load(in, i) : identity();
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all KEPT elements of all runs stand there
        for (uint k = 0; k < KEPT; k++)
            all = combine(all, scratch[id * (KEPT + 1) + k]);
        barrier(CLK_LOCAL_MEM_FENCE); // and nobody reads them any more
    }

    scratch[id] = all;
    for (uint offset = 1; offset < group; offset *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE); // what the round before wrote is visible
        if ((id & (2 * offset - 1)) == 0 && id + offset < group)
            scratch[id] = combine(scratch[id], scratch[id + offset]);
    }

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
