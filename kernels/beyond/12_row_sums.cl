/* Row sums, four rows to a row of work-items: wide loads, no atomics, one fixed order.
 *
 *   vectors    0 1 2 3 4 5 6 7         of a row, with zeros behind its last cell
 *   work-item  0 1 0 1 0 1 0 1         two of them, which add theirs in order
 *   rows       a a a a a a a a         four rows in one loop: four loads under way, four sums, none
 *              b b b b b b b b         waits for another
 *   sums       work_group_combine, along a row of the group: who adds what to what hangs on n and
 *              the work-items of a row alone
 */
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void row_sums(global const value *matrix, ulong n, ulong stride,
                                    global value *sums, local value *scratch)
{
    size_t item = get_local_id(0), items = get_local_size(0), row = 4 * get_global_id(1);
    size_t vectors = stride / WIDTH, end = row < n ? vectors : 0; // a group may have rows too many
    global const values *p = (global const values *)(matrix + row * stride), *q = p + vectors,
                        *r = q + vectors, *s = r + vectors; // behind row n - 1 is room for three
    value of_row[4];

    values a = identities(), b = a, c = a, d = a;
    for (size_t i = item; i < end; i += items) {
        a = combine_values(a, p[i]);
        b = combine_values(b, q[i]);
        c = combine_values(c, r[i]);
        d = combine_values(d, s[i]);
    }
    of_row[0] = fold(a), of_row[1] = fold(b), of_row[2] = fold(c), of_row[3] = fold(d);
    for (uint k = 0; k < 4; k++) {
        value sum = work_group_combine(of_row[k], scratch + get_local_id(1) * items);
        if (item == 0 && row + k < n)
            sums[row + k] = sum;
    }
}
