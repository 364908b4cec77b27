/* Computes the next matrix without its row sums. Otherwise this kernel equals 12_next_row_sums.cl,
 * so the difference between their times is the cost of the sums.
 *
 *   four rows    0 1 2 3 4 5 6 7 …        columns; work-items read vectors of them in turn
 *   factors      f f f f f f f f …        the factors of the columns are loaded once for four rows
 */
#include "operator.clh"
#include "vectors.clh"
#pragma OPENCL FP_CONTRACT OFF

kernel void next_rows(global value *matrix, ulong n, ulong stride, global const value *sums)
{
    size_t item = get_local_id(0), items = get_local_size(0), row = 4 * get_global_id(1);
    size_t vectors = stride / WIDTH, end = row < n ? vectors : 0;
    global values *p = (global values *)(matrix + row * stride), *q = p + vectors,
                  *r = q + vectors, *s = r + vectors; // three spare rows follow row n - 1
    global const values *factors = (global const values *)sums;
    value scale[4];
    for (uint k = 0; k < 4; k++)
        scale[k] = row + k < n ? 1 / sums[row + k] : 0;

    for (size_t i = item; i < end; i += items) { // all loads come before the first store
        values f = factors[i], w = p[i] * (scale[0] * f), x = q[i] * (scale[1] * f),
               y = r[i] * (scale[2] * f), z = s[i] * (scale[3] * f);
        p[i] = w, q[i] = x, r[i] = y, s[i] = z;
    }
}
