/* Computes the next matrix and its row sums in one pass, so a round reads each cell only once.
 *
 *   two passes   row sums: read n x n; next matrix: read and write n x n      12 n n bytes
 *   one pass     next matrix: read and write n x n, and add up each row        8 n n bytes
 *
 *   four rows    0 1 2 3 4 5 6 7 …        columns; work-items read vectors of them in turn
 *   factors      f f f f f f f f …        the factors of the columns are loaded once for four rows
 */
#include "subgroup.clh"
#pragma OPENCL FP_CONTRACT OFF // so the sums add exactly the bits that are written

kernel SUB_GROUP_SIZE void next_row_sums(global value *matrix, ulong n, ulong stride,
                                         global const value *sums, global value *next_sums,
                                         local value *scratch)
{
    size_t item = get_local_id(0), items = get_local_size(0), row = 4 * get_global_id(1);
    size_t vectors = stride / WIDTH, end = row < n ? vectors : 0;
    global values *p = (global values *)(matrix + row * stride), *q = p + vectors,
                  *r = q + vectors, *s = r + vectors; // three spare rows follow row n - 1
    global const values *factors = (global const values *)sums;
    value scale[4], row_sums[4];
    for (uint k = 0; k < 4; k++)
        scale[k] = row + k < n ? 1 / sums[row + k] : 0;

    values a = identities(), b = a, c = a, d = a;
    for (size_t i = item; i < end; i += items) { // all loads come before the first store
        values f = factors[i], w = p[i] * (scale[0] * f), x = q[i] * (scale[1] * f),
               y = r[i] * (scale[2] * f), z = s[i] * (scale[3] * f);
        p[i] = w, q[i] = x, r[i] = y, s[i] = z;
        a += w, b += x, c += y, d += z;
    }
    row_sums[0] = fold(a), row_sums[1] = fold(b), row_sums[2] = fold(c), row_sums[3] = fold(d);
    for (uint k = 0; k < 4; k++) {
        value sum = work_group_combine(row_sums[k], scratch + get_local_id(1) * items);
        if (item == 0 && row + k < n)
            next_sums[row + k] = sum;
    }
}
