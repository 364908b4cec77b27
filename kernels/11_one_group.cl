/* One group has all the elements and meets nobody: a short text, for a few thousand of them.
 *
 *   vector       0 1 2 3 4 5 6 7 | 8 9 a b c    tiles of four vectors a work-item; one not whole
 *   work-item    0 1 0 1 0 1 0 1 | 0 1 0 1 0    one group of two; then the last few elements
 *   load         w w x x y y z z | w w x x y    of one turn, in flight at the same time
 *   out                  all                    nothing is counted, nothing launched again
 *
 * Compilers unroll the loop over k: so its four loads are in flight at once. The other two loops
 * are kept from being unrolled, so that the code stays short.
 */
#include "operator.clh"
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    uint id = get_local_id(0), group = get_local_size(0);
    ulong vectors = n / WIDTH;

    values many = identities();
#pragma unroll 1
    for (ulong i = id; i < vectors; i += 4 * group)
        for (uint k = 0; k < 4; k++)
            if (i + k * group < vectors)
                many = combine_load(many, in, i + k * group);
    value all = fold(many);
#pragma unroll 1
    for (ulong i = vectors * WIDTH + id; i < n; i += group)
        all = combine(all, load(in, i));

    all = work_group_combine(all, scratch);

    if (id == 0)
        out[0] = all;
}
