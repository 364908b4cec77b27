/* The next matrix and its row sums in one pass: each cell is read once in a round, not twice.
 *
 *   two passes   row sums: read n x n; next matrix: read n x n, write n x n     12 n n bytes
 *   one pass     next matrix, adding what it writes                              8 n n bytes
 *
 *   a row        0 1 2 3 | 4 5 6 7 | …    as in 12_row_sums.cl: four quarters, lanes side by side
 *   sums         f f f f | f f f f | …    each column's factor; all rows find it in the cache
 */
#include "subgroup.clh"
#pragma OPENCL FP_CONTRACT OFF // what is added is what is written, to the last bit

kernel SUB_GROUP_SIZE void next_row_sums(global value *matrix, ulong n, ulong stride,
                                         global const value *sums, global value *next_sums,
                                         local value *scratch)
{
    size_t lane = get_local_id(0), lanes = get_local_size(0), row = get_global_id(1);
    size_t quarter = stride / WIDTH / 4, end = row < n ? quarter : 0;
    global values *p = (global values *)(matrix + row * stride), *q = p + quarter,
                  *r = q + quarter, *s = r + quarter;
    global const values *f = (global const values *)sums, *g = f + quarter, *h = g + quarter,
                        *k = h + quarter;
    value scale = row < n ? 1 / sums[row] : 0;

    values a = identities(), b = a, c = a, d = a;
    for (size_t i = lane; i < end; i += lanes) { // all loads before the first store: none waits
        values w = p[i] * (scale * f[i]), x = q[i] * (scale * g[i]), y = r[i] * (scale * h[i]),
               z = s[i] * (scale * k[i]);
        p[i] = w, q[i] = x, r[i] = y, s[i] = z;
        a += w, b += x, c += y, d += z;
    }
    value sum = sub_group_combine(fold((a + b) + (c + d)), scratch + get_local_id(1) * lanes);
    if (lane == 0 && row < n)
        next_sums[row] = sum;
}
