/* Computes the smallest and the largest row sum, between which lambda lies, and the eigenvector.
 * One group computes everything, so it waits for no other group.
 *
 *   sums       s0 s1 s2 s3 s4 …        work-items read vectors of WIDTH sums in turn
 *   high, low  max(s), max(-s)         two reductions with one operator, in one pass
 *   vector     v[i] * (s[i] / high)    after a barrier
 */
#include "subgroup.clh"

kernel SUB_GROUP_SIZE void bounds(global const value *sums, ulong n, global value *vector,
                                  global value *least_and_largest, local value *scratch)
{
    size_t id = get_local_id(0), group_size = get_local_size(0), whole = n / WIDTH;
    global const values *in = (global const values *)sums;
    global values *out = (global values *)vector;

    values highs = identities(), lows = highs;
    for (size_t i = id; i < whole; i += group_size) {
        highs = combine_values(highs, in[i]);
        lows = combine_values(lows, -in[i]);
    }
    value high = fold(highs), low = fold(lows);
    for (size_t i = whole * WIDTH + id; i < n; i += group_size) {
        high = combine(high, sums[i]);
        low = combine(low, -sums[i]);
    }
    high = work_group_combine(high, scratch);
    low = work_group_combine(low, scratch);

    if (id == 0) {
        least_and_largest[0] = -low;
        least_and_largest[1] = high;
    }
    barrier(CLK_GLOBAL_MEM_FENCE); // both values are visible to the whole group
    high = least_and_largest[1];
    for (size_t i = id; i < (n + WIDTH - 1) / WIDTH; i += group_size) // the padding has zeros
        out[i] *= in[i] / high;
}
