/* As in 08_serial_groups.cl, but a group reads vectors, one from each quarter of its block in turn.
 *
 *   vector       0 1 | 2 3 | 4 5 | 6 7    one group's block of eight vectors
 *   accumulator  a a | b b | c c | d d    no accumulator waits for another
 *   time         0 1 | 0 1 | 0 1 | 0 1    four loads are in flight at the same time
 */
#include "operator.clh"
#include "vectors.clh"

kernel void reduce(global const input *in, ulong n, global value *out)
{
    ulong vectors = n / WIDTH, groups = get_global_size(0);
    ulong quarter = vectors / groups / 4, first = get_global_id(0) * 4 * quarter;

    values a = identities(), b = a, c = a, d = a;
    for (ulong i = first; i < first + quarter; i++) {
        a = combine_load(a, in, i);
        b = combine_load(b, in, i + quarter);
        c = combine_load(c, in, i + 2 * quarter);
        d = combine_load(d, in, i + 3 * quarter);
    }
    value all = fold(combine_values(combine_values(a, b), combine_values(c, d)));

    // Reads the elements after the last block one by one; they fill at most 4 * groups vectors.
    for (ulong i = groups * 4 * quarter * WIDTH + get_global_id(0); i < n; i += groups)
        all = combine(all, load(in, i));

    out[get_global_id(0)] = all;
}
