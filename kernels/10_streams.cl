/* As in 10_plain_loads.cl, but in wide loads, one from each quarter of a chunk in turn.
 *
 *   vector       0 1 2 3 4 5 6 7 | 8 9 a b c d e f | 0 …    one group of 2 lanes x 2 chunks; tail
 *   chunk        0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1          get_global_id(1)
 *   lane         0 1 0 1 0 1 0 1 | 0 1 0 1 0 1 0 1          get_local_id(0)
 *   accumulator  a a b b c c d d | a a b b c c d d          no accumulator waits for another
 */
#include "operator.clh"
#include "vectors.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    size_t lane = get_local_id(0), lanes = get_local_size(0);
    size_t chunk = get_global_id(1), chunks = get_global_size(1);
    size_t rows = n / WIDTH / lanes, first = rows * chunk / chunks; // a row has a vector per lane
    size_t end = rows * (chunk + 1) / chunks, quarter = (end - first) / 4;

    values a = identities(), b = a, c = a, d = a;
    for (size_t i = first; i < first + quarter; i++) {
        a = combine_load(a, in, i * lanes + lane);
        b = combine_load(b, in, (i + quarter) * lanes + lane);
        c = combine_load(c, in, (i + 2 * quarter) * lanes + lane);
        d = combine_load(d, in, (i + 3 * quarter) * lanes + lane);
    }
    for (size_t i = first + 4 * quarter; i < end; i++)
        a = combine_load(a, in, i * lanes + lane);
    value all = fold(combine_values(combine_values(a, b), combine_values(c, d)));
    for (size_t i = (rows * WIDTH + chunk) * lanes + lane; i < n; i += chunks * lanes)
        all = combine(all, load(in, i));
    uint id = get_local_id(1) * lanes + lane, group_size = lanes * get_local_size(1);
    scratch[id] = all;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;     // start of the upper half; one value waits if active is odd
        barrier(CLK_LOCAL_MEM_FENCE); // the values of the previous round are visible
        if (id < active / 2)
            scratch[id] = combine(scratch[id], scratch[id + upper]);
    }
    if (id == 0)
        out[get_group_id(1)] = scratch[0];
}
