/* As in 10_streams.cl, but in one launch, because the group that arrives last combines all values.
 *
 *   vector       0 1 2 3 4 5 6 7 | 8 9 a b c d e f | 0 …    one group of 2 lanes x 2 chunks; tail
 *   chunk        0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1          get_global_id(1)
 *   lane         0 1 0 1 0 1 0 1 | 0 1 0 1 0 1 0 1          get_local_id(0)
 *   accumulator  a a b b c c d d | a a b b c c d d          no accumulator waits for another
 *   out          the result, then the groups' values and a counter: see last_group.clh
 */
#include "operator.clh"
#include "vectors.clh"
#include "beyond/last_group.clh"

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

    finish_in_last_group(all, out, scratch);
}
