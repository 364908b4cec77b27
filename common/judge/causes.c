/* What wrong kernels do, and how it shows from outside: from many that learners have written and
 * published.
 *
 *   w of the elements      1 0 0 0 1 0 0 0 …      period 4, the first of each counts
 *   W = 4                  is a barrier missing, or the tree's comparison inverted?
 *   vectors of 4           one component counts: who folds the others?
 */
#include "causes.h"

#include <stdio.h>
#include <string.h>

const char *print_first(const struct phrase *phrase)
{
    while (!phrase->so)
        phrase++;
    printf(phrase->text, (size_t)phrase->number, (size_t)phrase->other);
    return phrase->text;
}

void print_likely_cause(const struct evidence *found, const struct operation *operation,
                        const char *mark)
{
    const uint64_t n = found->n, w = found->group_size, groups = found->groups,
                   lanes = found->lanes, width = found->width, block = found->block;
    const struct range *a = found->ranges, *b = a + 1; // zeros, where there is none
    const struct range *last = found->range_count > 0 ? a + found->range_count - 1 : a;
    const uint64_t from = a->from, to = a->to, length = to - from, tail = n % w,
                   often = a->count > 1 ? (uint64_t)a->count : 0;
    const bool lost = to && a->count == 0, more = often > 0, all = length == n;
    const bool end = lost && found->range_count == 1 && n - to < found->tile;
    // How it repeats: the first of each period (all that count stand in front of the first part
    // that is wrong), or the same in each group.
    const uint64_t period = found->period, first = found->counted == from ? from : 0;
    const bool in_group = period && w % period == 0;
    const bool by_group = w > 1 && (period == w || period == w * width);
    // Decided by the values themselves, not by the sum of words that it was tried as?
    const bool value = operation->has_extreme || operation->floating;
    const bool power = found->is_right_in_powers_of_two, right = !found->is_wrong;
    bool loses = false, doubles = false, changes = false;
    for (const struct range *range = a; range < a + found->range_count; range++) {
        loses |= range->count == 0;
        doubles |= range->count > 1;
        changes |= range->count == COUNT_IS_NONE;
    }

    const struct phrase causes[] = {
        // what is more telling comes first
        { operation->has_index && found->changes_identity,
          "the key: load(in, i) makes it, of element i and its index i" },
        { found->is_no_sum || (all && lost && !found->stale && value),
          "the operator: is something else used than load() and combine()?" },
        { width > 1 && period == width * width && first == width,
          "load_values(in, i), vload4(i, in): i counts vectors, and is not to be multiplied" },
        { power && (found->scratch || more),
          "%zu is no power of two, with one it is right: is the comparison of id "
          "missing or wrong, or a barrier?",
          w },
        { power, "%zu is no power of two, with one it is right: the tree loses the odd one out",
          w },
        { tail && (found->scratch == w - tail || (more && from % w == tail)),
          "scratch is not set where i >= n: there it needs the identity" },
        { found->scratch,
          "a variable, or local memory, is read before it is set: is a barrier missing?" },
        { all && lost && found->stale, "nothing is written to out: what stood there comes out" },
        { found->beyond && !found->varies,
          "the bound is missing or too large, here or in a later stage: i < n, also for vectors" },
        { found->stale && found->stale == groups - 1 && !found->finishes_in_launch,
          "one of %zu partial results is written: has each group its own, out[get_group_id(0)]?",
          groups },
        { found->stale && (lost || found->finishes_in_launch),
          "a group's value is combined before it stands in out, or never gets there" },
        { found->varies,
          "a race: is a barrier missing, or an atomic? Or is local memory never set?" },
        { all && lost && found->finishes_in_launch,
          "no group finishes: does none find itself the last, by the counter of groups?" },
        { all && lost, "no element counts: a constant? Does nobody load, or not in later stages?" },
        { found->stale, "out is combined into, or read, without having been set: who puts the "
                        "identity there? Or is in read at i >= n?" },
        { found->changes_identity,
          "an accumulator does not begin with identity(), or it is not combine() that combines" },
        { groups > 1 && (often == groups * w || (often == groups && to == n && from)),
          "every work-item, or group, takes these elements: whose are they?" },
        { all && often == w,
          "every work-item of a group publishes the group's value: one is enough, if (id == 0)" },
        { all && more, "combined %zu times: do several publish it, or read the same elements?",
          often },

        // where each begins, and how far it steps on
        { lost && from == 1 && to == block && b->from == block + 1,
          "of each block only the first element counts: a loop too short, or a step too long?" },
        { lost && from == 0 && to >= groups * w && groups * w > 1 && to < n,
          "only the last element of a work-item counts: all = combine(all, …), not all = …" },
        { more && length == 1 && from == block && block > 1,
          "blocks overlap: the first of each is also the last of the one before: i < end" },
        { width > 1 && a->count == 2 && from == 1,
          "vectors overlap: each begins one element after the one before it, not %zu", width },
        { a->count == 2 && from == w,
          "each group steps on by its own size, not by that of the launch: get_global_size(0)" },
        { length >= w && !from && often == groups && b->to && b->count == 0,
          "all groups begin at element 0: get_global_id(0), not get_local_id(0)" },

        // some of each vector, sub-group or group
        { width > 1 && period && found->counted * width <= period && doubles,
          "one element fills all of a vector: (a, b) without a type in front is just b" },
        { in_group && found->counted == period,
          "other work-items or lanes publish as well, whatever they have by then" },
        { lanes > 1 && first == 1 && period == lanes,
          "only the first of %zu lanes counts: who combines the others?", lanes },
        { width > 1 && first == lanes && period == found->tile,
          "only one component of each vector counts: fold() all of them" },
        { lanes > 1 && first == lanes * lanes && period > first,
          "only the first %zu sub-groups count: has the group more of them than lanes?", lanes },
        { first && first * w == period, "only the first work-item counts: is a barrier missing, or "
                                        "the tree's comparison inverted?" },
        { by_group && first * w > period && 2 * first < period,
          "only work-items 0..%zu count: is a barrier missing, or the tree's comparison inverted?",
          first * w / (period ? period : 1) - 1 },
        { lanes > 1 && first == lanes && period % lanes == 0,
          "only one sub-group of %zu counts: they have %zu lanes, does it take others for granted?",
          period / lanes, lanes },
        { w == 1 && first > 1 && period % first == 0,
          "of each block 1 part in %zu counts: who combines the other accumulators?",
          period / (first ? first : 1) },
        { period == 2, "every second element is lost: a round is missing, or its stride is wrong" },
        { in_group && more && to == 1 && b->to && b->count == 0,
          "all lanes, or work-items, read the same element: is lane() or their id left out?" },
        { more && to == 1,
          "element 0 is read again and again: is the index that of the loop? Or does an "
          "accumulator begin with it?" },
        { in_group, "the tree loses them: has it a round too few? Or is a barrier missing?" },

        // one end
        { end && n - from < width, "nobody reads what is left behind the last whole vector" },
        { end && n - from < found->tile, "nobody reads what is left behind the last whole tile" },
        { lost && from == 0 && (to == 1 || to == w || to == w + 1),
          "a loop begins at 1: element 0 is lost, or in a later stage that of group 0" },
        { lost && last->count == 0 && last->from == n - 1,
          "a bound is off by one at the end, i < n, or a division rounds down" },
        { end && (from == (uint16_t)n || from == (uint32_t)n),
          "n does not fit into a variable: it is cut to 16 or 32 bits" },
        { end && w > 1 && from == n / w * w && found->has_group_each,
          "the last group is launched, or counted, only if it is full: ceil_div(n, group)" },
        { end && w > 1 && from == w * w && width == 1,
          "one stage too few: a group takes in %zu values, and more were left", w },
        { end && w > 1 && from % w == 0 && found->has_group_each,
          "the partial results from group %zu on: does the next stage take all, of which array?",
          from / w },
        { end,
          "nobody reads what is behind: a limit, one element each, a division that rounds down?" },

        // no place tells
        { right && !operation->commutative,
          "the order: is a left operand on the right somewhere?" },
        { right && operation->has_index, "the index: load(in, i) notes the i that it is given" },
        { right || changes, "the operator: is something else used than load() and combine()?" },
        { loses && doubles,
          "some are lost, others count twice: one work-item or group takes another's elements, or "
          "a barrier is missing" },
        { true, "nothing that is known by its effect: where does each work-item begin? A race?" },
    };
    printf("%slikely: ", mark);
    const char *cause = print_first(causes);
    puts("");
    if (found->stale || found->scratch || found->beyond || strstr(cause, "barrier") ||
        strstr(cause, "race")) // memory or order is suspected
        printf("%stry --races\n", mark);
}
