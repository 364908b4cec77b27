/* The next matrix alone, as 12_next_row_sums.cl makes it: what that one's sums cost, and save.
 *
 *   four rows    0 1 2 3 4 5 6 7 …        columns, by work-items side by side, in vectors
 *                f f f f f f f f …        a column's factor, loaded once for the four rows
 */
#include "operator.clh"
#pragma OPENCL FP_CONTRACT OFF

kernel void next_rows(global value *matrix, ulong n, ulong stride, global const value *sums)
{
    size_t item = get_local_id(0), items = get_local_size(0), row = 4 * get_global_id(1);
    size_t vectors = stride / WIDTH, end = row < n ? vectors : 0;
    global values *p = (global values *)(matrix + row * stride), *q = p + vectors,
                  *r = q + vectors, *s = r + vectors; // behind row n - 1 there is room for three
    global const values *factors = (global const values *)sums;
    value scale[4];
    for (uint k = 0; k < 4; k++)
        scale[k] = row + k < n ? 1 / sums[row + k] : 0;

    for (size_t i = item; i < end; i += items) { // all loads before the first store: none waits
        values f = factors[i], w = p[i] * (scale[0] * f), x = q[i] * (scale[1] * f),
               y = r[i] * (scale[2] * f), z = s[i] * (scale[3] * f);
        p[i] = w, q[i] = x, r[i] = y, s[i] = z;
    }
}
