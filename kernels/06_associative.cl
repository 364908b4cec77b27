/* Each work-item combines one contiguous block in order. The group loads all its blocks together.
 *
 *   element      0 1 2 3 | 4 5 6 7 | 8 9 a b | c d e f    one group of four, KEPT = 2
 *   block        0 0 0 0 | 1 1 1 1 | 2 2 2 2 | 3 3 3 3    work-item b combines block b
 *   read by      0 1     | 2 3     | 0 1     | 2 3        iteration 0: KEPT elements of each block
 *                    0 1 |     2 3 |     0 1 |     2 3    iteration 1
 *
 * scratch has KEPT + 1 places per block, so that the blocks start in different banks: TUTORIAL, 04.
 */
#include "operator.clh"
#if !defined KEPT
#define KEPT 2 // as in the picture; the host defines another number
#endif
kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    uint id = get_local_id(0), group_size = get_local_size(0);
    ulong blocks = (ulong)get_num_groups(0) * group_size, length = (n + blocks - 1) / blocks;
    ulong base = get_group_id(0) * group_size * length; // start of the group's first block

    value all = identity();
    for (ulong done = 0; done < length; done += KEPT) {
        for (uint turn = 0; turn < KEPT; turn++) {
            uint place = turn * group_size + id, block = place / KEPT, k = place % KEPT;
            ulong i = base + block * length + done + k;
            scratch[block * (KEPT + 1) + k] = done + k < length && i < n ? load(in, i) : identity();
        }
        barrier(CLK_LOCAL_MEM_FENCE); // KEPT elements of each block are visible
        for (uint k = 0; k < KEPT; k++)
            all = combine(all, scratch[id * (KEPT + 1) + k]);
        barrier(CLK_LOCAL_MEM_FENCE); // all work-items have read them
    }
    scratch[id] = all;
    for (uint offset = 1; offset < group_size; offset *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE); // the values of the previous round are visible
        if ((id & (2 * offset - 1)) == 0 && id + offset < group_size)
            scratch[id] = combine(scratch[id], scratch[id + offset]);
    }
    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
