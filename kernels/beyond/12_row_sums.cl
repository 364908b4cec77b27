/* Adds up four rows at a time, in wide loads, without atomics, and in one fixed order.
 *
 *   vectors    0 1 2 3 4 5 6 7         the vectors of a row; zeros fill the last one
 *   work-item  0 1 0 1 0 1 0 1         two work-items, each of which adds its vectors in order
 *   rows       a a a a a a a a         four rows in one loop: four loads are in flight at the same
 *              b b b b b b b b         time, and no sum waits for another
 *   sums       work_group_combine adds the values of the work-items along a row. The order of the
 *              additions depends only on n and on the number of these work-items
 */
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void row_sums(global const value *matrix, ulong n, ulong stride,
                                    global value *sums, local value *scratch)
{
    size_t item = get_local_id(0), items = get_local_size(0), row = 4 * get_global_id(1);
    size_t vectors = stride / WIDTH, end = row < n ? vectors : 0; // no loop past the last row
    global const values *p = (global const values *)(matrix + row * stride), *q = p + vectors,
                        *r = q + vectors, *s = r + vectors; // three spare rows follow row n - 1
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
