/* Each work-item combines one contiguous chunk in order; the group reads the chunks side by side.
 *
 *   element      0 1 2 3 | 4 5 6 7 | 8 9 a b | c d e f    one group of four, KEPT = 2
 *   chunk        0 0 0 0 | 1 1 1 1 | 2 2 2 2 | 3 3 3 3    work-item c combines chunk c
 *   read by      0 1     | 2 3     | 0 1     | 2 3        iteration 0: KEPT elements of each chunk
 *                    0 1 |     2 3 |     0 1 |     2 3    iteration 1
 *
 * scratch holds KEPT + 1 places for each chunk: so the chunks start in different banks.
 */
#include "operator.clh"
#if !defined KEPT
#define KEPT 2 // as in the picture; the host passes its own number
#endif
kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    uint id = get_local_id(0), group_size = get_local_size(0);
    ulong chunks = (ulong)get_num_groups(0) * group_size, length = (n + chunks - 1) / chunks;
    ulong base = get_group_id(0) * group_size * length; // start of the group's first chunk

    value all = identity();
    for (ulong done = 0; done < length; done += KEPT) {
        for (uint turn = 0; turn < KEPT; turn++) {
            uint place = turn * group_size + id, chunk = place / KEPT, k = place % KEPT;
            ulong i = base + chunk * length + done + k;
            scratch[chunk * (KEPT + 1) + k] = done + k < length && i < n ? load(in, i) : identity();
        }
        barrier(CLK_LOCAL_MEM_FENCE); // KEPT elements of each chunk are visible
        for (uint k = 0; k < KEPT; k++)
            all = combine(all, scratch[id * (KEPT + 1) + k]);
        barrier(CLK_LOCAL_MEM_FENCE); // all work-items have read them
    }
    scratch[id] = all;
    for (uint offset = 1; offset < group_size; offset *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE); // what the previous round wrote is visible
        if ((id & (2 * offset - 1)) == 0 && id + offset < group_size)
            scratch[id] = combine(scratch[id], scratch[id + offset]);
    }
    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
