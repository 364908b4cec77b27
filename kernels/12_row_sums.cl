/* Row sums, a row to each sub-group: wide loads, no atomics, one fixed order.
 *
 *   a row      0 1 2 3 | 4 5 6 7 | 8 9 …    vectors, four quarters, zeros behind the last cell
 *   lane       0 1 0 1 | 0 1 0 1 | 0 1 …    two lanes, side by side in each quarter
 *   in flight  a       | b       | c   | d  four loads in one iteration, four sums: none waits for
 *                                           another
 *   sum        sub_group_combine: who adds what to what hangs on n and the lanes alone
 */
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void row_sums(global const value *matrix, ulong n, ulong stride,
                                    global value *sums, local value *scratch)
{
    size_t lane = get_local_id(0), lanes = get_local_size(0), row = get_global_id(1);
    size_t quarter = stride / WIDTH / 4, end = row < n ? quarter : 0; // a group may have more rows
    global const values *p = (global const values *)(matrix + row * stride);

    values a = identities(), b = a, c = a, d = a;
    for (size_t i = lane; i < end; i += lanes) {
        a = combine_values(a, p[i]);
        b = combine_values(b, p[i + quarter]);
        c = combine_values(c, p[i + 2 * quarter]);
        d = combine_values(d, p[i + 3 * quarter]);
    }
    values all = combine_values(combine_values(a, b), combine_values(c, d));
    value sum = sub_group_combine(fold(all), scratch + get_local_id(1) * lanes);
    if (lane == 0 && row < n)
        sums[row] = sum;
}
