/* Row sums, a row of lanes for each row of the matrix: wide loads, no atomics, one fixed order.
 *
 *   vectors    0 1 2 3 4 5 6 7 8 9     a row of ten vectors, zeros behind its last cell
 *   lane       0 1 0 1 0 1 0 1 0 1     two lanes; --group says how many rows a group takes
 *   sum        a a b b c c d d a a     four of each lane: none waits for another
 *               \ sub_group_combine: who adds what to what hangs on n and the lanes alone
 */
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void row_sums(global const value *matrix, ulong n, ulong stride,
                                    global value *sums, local value *scratch)
{
    size_t lane = get_local_id(0), lanes = get_local_size(0), row = get_global_id(1);
    size_t end = row < n ? stride / WIDTH : 0, i = lane; // the last group may have rows too many
    global const values *cells = (global const values *)(matrix + row * stride);

    values a = identities(), b = a, c = a, d = a;
    for (; i + 3 * lanes < end; i += 4 * lanes) {
        a = combine_values(a, cells[i]);
        b = combine_values(b, cells[i + lanes]);
        c = combine_values(c, cells[i + 2 * lanes]);
        d = combine_values(d, cells[i + 3 * lanes]);
    }
    for (; i < end; i += lanes)
        a = combine_values(a, cells[i]);
    value all = fold(combine_values(combine_values(a, b), combine_values(c, d)));

    all = sub_group_combine(all, scratch + get_local_id(1) * lanes);
    if (lane == 0 && row < n)
        sums[row] = all;
}
