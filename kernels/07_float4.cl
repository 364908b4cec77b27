/* Each load reads WIDTH neighbouring elements. The work-item combines them into a vector of WIDTH
 * accumulators.
 *
 *   element      0 1 2 3 | 4 5 6 7 | 8 9 a b | c d e        n = 15, WIDTH = 4, one group of two
 *   work-item    0 0 0 0 | 1 1 1 1 | 0 0 0 0 | 0 1 0        the last n mod 4 one by one
 *   accumulator  a b c d | a b c d | a b c d |              fold() combines a, b, c and d
 */
#include "operator.clh"
#include "vectors.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    ulong whole = n / WIDTH * WIDTH; // elements in whole vectors

    values many = identities();
    for (ulong i = get_global_id(0); i < whole / WIDTH; i += get_global_size(0))
        many = combine_values(many, load_values(in, i));
    value all = fold(many);
    for (ulong i = whole + get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = all;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;     // start of the upper half; one value waits if active is odd
        barrier(CLK_LOCAL_MEM_FENCE); // the values of the previous round are visible
        if (id < active / 2)
            scratch[id] = combine(scratch[id], scratch[id + upper]);
    }

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
