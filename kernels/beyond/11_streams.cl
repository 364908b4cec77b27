/* 10_streams.cl with another end: no second launch, the group that arrives last finishes.
 *
 *   vector       0 1 2 3 4 5 6 7 | 8 9 a b c d e f | 0 …    one group of 2 lanes x 2 runs; a rest
 *   run          0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1          get_global_id(1)
 *   lane         0 1 0 1 0 1 0 1 | 0 1 0 1 0 1 0 1          get_local_id(0)
 *   accumulator  a a b b c c d d | a a b b c c d d          four streams: none waits for another
 *   out          the result, and behind it where the groups meet: see last_group.clh
 */
#include "operator.clh"
#include "beyond/last_group.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    size_t lane = get_local_id(0), lanes = get_local_size(0);
    size_t run = get_global_id(1), runs = get_global_size(1);
    size_t rows = n / WIDTH / lanes; // whole rows of lanes
    size_t first = rows * run / runs, end = rows * (run + 1) / runs, quarter = (end - first) / 4;

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
    for (size_t i = (rows * WIDTH + run) * lanes + lane; i < n; i += runs * lanes)
        all = combine(all, load(in, i));

    finish_in_last_group(all, out, scratch);
}
