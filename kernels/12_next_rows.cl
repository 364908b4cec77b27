/* The next matrix alone, as 12_next_row_sums.cl makes it: what that one's sums cost, and save.
 *
 *   a row        0 1 2 3 | 4 5 6 7 | …    in vectors: four quarters, lanes side by side in each
 *   sums         f f f f | f f f f | …    each column's factor; all rows find it in the cache
 */
#include "operator.clh"
#pragma OPENCL FP_CONTRACT OFF

kernel void next_rows(global value *matrix, ulong n, ulong stride, global const value *sums)
{
    size_t lane = get_local_id(0), lanes = get_local_size(0), row = get_global_id(1);
    size_t quarter = stride / WIDTH / 4, end = row < n ? quarter : 0;
    global values *p = (global values *)(matrix + row * stride), *q = p + quarter,
                  *r = q + quarter, *s = r + quarter;
    global const values *f = (global const values *)sums, *g = f + quarter, *h = g + quarter,
                        *k = h + quarter;
    value scale = row < n ? 1 / sums[row] : 0;

    for (size_t i = lane; i < end; i += lanes) { // all loads before the first store: none waits
        values w = p[i] * (scale * f[i]), x = q[i] * (scale * g[i]), y = r[i] * (scale * h[i]),
               z = s[i] * (scale * k[i]);
        p[i] = w, q[i] = x, r[i] = y, s[i] = z;
    }
}
