/* As in 11_counter.cl, but the groups combine their values in one word, which also counts them.
 *
 *   row          0 1 2 3 4 5 6 7 | 8 9 a b c d e f | g h …    a row has WIDTH * lanes() elements
 *   sub-group    0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1 | 0 0 …    two sub-groups; a batch has 8 rows
 *   accumulator  a a b b c c d d | a a b b c c d d | a a …    no accumulator waits for another
 *   out          the result, then a word that the groups share: see last_group_in_word.clh
 */
#include "operator.clh"
#include "subgroup.clh"
#include "vectors.clh"
#include "beyond/last_group_in_word.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    ulong row = WIDTH * lanes(), rows = n / row;
    ulong sub_group = get_global_id(0) / lanes(), sub_groups = get_global_size(0) / lanes();
    ulong batch = BATCH ? BATCH : (rows + sub_groups - 1) / sub_groups;

    values a = identities(), b = a, c = a, d = a;
    for (ulong first = sub_group * batch; first < rows; first += sub_groups * batch) {
        ulong length = first + batch <= rows ? batch : rows - first, quarter = length / 4;
        for (ulong i = first; i < first + quarter; i++) {
            a = combine_values(a, block_read(in, i * row));
            b = combine_values(b, block_read(in, (i + quarter) * row));
            c = combine_values(c, block_read(in, (i + 2 * quarter) * row));
            d = combine_values(d, block_read(in, (i + 3 * quarter) * row));
        }
        for (ulong i = first + 4 * quarter; i < first + length; i++)
            d = combine_values(d, block_read(in, i * row));
    }
    value all = fold(combine_values(combine_values(a, b), combine_values(c, d)));
    for (ulong i = rows * row + get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    finish_in_word(all, out, scratch);
}
