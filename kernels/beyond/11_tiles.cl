/* Groups read batches of vectors in turn. In each batch a work-item has four wide loads in flight,
 * which suits a GPU at small n.
 *
 *   vector       0 1 2 3 4 5 6 7 | 8 9 a b c d e f | 0 …     a batch has 4 vectors per work-item
 *   group        0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1 | 0 …     two groups of two work-items
 *   work-item    0 1 0 1 0 1 0 1 | 0 1 0 1 0 1 0 1 | 0 …
 *   load         w w x x y y z z | w w x x y y z z | w …     all four before the first is used
 *   out          the result, then a word that the groups share: see last_group_in_word.clh
 */
#include "operator.clh"
#include "subgroup.clh"
#include "vectors.clh"
#include "beyond/last_group_in_word.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    uint id = get_local_id(0), group_size = get_local_size(0);
    ulong vectors = n / WIDTH, batch = 4 * group_size, first = get_group_id(0) * batch;

    values many = identities();
    // The bound is the same for all work-items, so their loads stay together.
    for (; first + batch <= vectors; first += batch * get_num_groups(0)) {
        ulong i = first + id;
        values w = load_values(in, i), x = load_values(in, i + group_size);
        values y = load_values(in, i + 2 * group_size), z = load_values(in, i + 3 * group_size);
        many = combine_values(many, combine_values(combine_values(w, x), combine_values(y, z)));
    }
    for (uint k = 0; k < 4; k++) // the last batch, if it is not whole
        if (first + k * group_size + id < vectors)
            many = combine_values(many, load_values(in, first + k * group_size + id));
    value all = fold(many);
    for (ulong i = vectors * WIDTH + get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    finish_in_word(all, out, scratch);
}
