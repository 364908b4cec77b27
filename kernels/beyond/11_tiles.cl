/* Many groups take tiles in turn, each with four wide loads in flight: for a GPU, at small n.
 *
 *   vector       0 1 2 3 4 5 6 7 | 8 9 a b c d e f | 0 …     tiles of four vectors a work-item
 *   group        0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1 | 0 …     two groups of two work-items
 *   work-item    0 1 0 1 0 1 0 1 | 0 1 0 1 0 1 0 1 | 0 …
 *   load         w w x x y y z z | w w x x y y z z | w …     of one turn
 *   out          the result, and behind it where the groups meet: see last_group.clh
 */
#include "operator.clh"
#include "subgroup.clh"
#include "beyond/last_group.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    uint id = get_local_id(0), group = get_local_size(0);
    ulong vectors = n / WIDTH, tile = 4 * group, first = get_group_id(0) * tile;

    values many = identities();
    // One bound for all: no work-item leaves early.
    for (; first + tile <= vectors; first += tile * get_num_groups(0)) {
        ulong i = first + id;
        values w = load_values(in, i), x = load_values(in, i + group);
        values y = load_values(in, i + 2 * group), z = load_values(in, i + 3 * group);
        many = combine_values(many, combine_values(combine_values(w, x), combine_values(y, z)));
    }
    for (uint k = 0; k < 4; k++) // of the last tile, where it is not whole
        if (first + k * group + id < vectors)
            many = combine_values(many, load_values(in, first + k * group + id));
    value all = fold(many);
    for (ulong i = vectors * WIDTH + get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    finish_in_last_group(all, out, scratch);
}
