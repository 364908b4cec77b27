/* Causes that show in the places of the lost and repeated elements: see signs.h. */
#include "places.h"

struct diagnosis blame_path(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const uint64_t group_size = found->group_size, groups = found->groups, block = found->block;
    const struct range first = signs->first, second = signs->second;
    const struct cause_row rows[] = {
        { signs->is_lost && first.from == 1 && first.to == block && second.from == block + 1,
          CAUSE_LOOP_TOO_SHORT,
          "only the first element of each block counts: is the loop too short, or its step too "
          "long?" },
        { signs->is_lost && first.from == 0 && first.to >= groups * group_size &&
              groups * group_size > 1 && first.to < found->n,
          CAUSE_ACCUMULATOR_OVERWRITTEN,
          "only the last element of each work-item counts: all = combine(all, …), not all = …" },
        { signs->is_repeated && signs->length == 1 && first.from == block && block > 1,
          CAUSE_BLOCKS_OVERLAP,
          "blocks overlap: the first element of each block is also the last of the previous one: i "
          "< end" },
        { found->width == 1 && first.count == 2 && first.from == 1 && second.from == 2 &&
              second.count == 3,
          CAUSE_STRIDE_OF_ONE,
          "element i counts i + 1 times: each work-item moves on by one element, not by the size "
          "of the launch: get_global_size(0)" },
        { signs->is_repeated && first.from == 0 && signs->length < found->n &&
              signs->length == groups * group_size * found->width,
          CAUSE_FIRST_ROUND_TWICE,
          "the first element of each work-item counts twice: does the accumulator begin with it, "
          "and the loop too?" },
        { found->width > 1 && first.count == 2 && first.from == 1, CAUSE_VECTORS_OVERLAP,
          "vectors overlap: each begins one element after the previous one, not %zu",
          found->width },
        { first.count == 2 && first.from == group_size, CAUSE_STRIDE_OF_GROUP,
          "each group moves on by its own size, not by the size of the launch: "
          "get_global_size(0)" },
        { signs->length >= group_size && first.from == 0 && signs->times == groups && second.to &&
              second.count == 0,
          CAUSE_GROUPS_BEGIN_AT_0,
          "all groups begin at element 0: get_global_id(0), not get_local_id(0)" },
        { true },
    };
    return choose_row(rows);
}

struct diagnosis blame_parts(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const uint64_t group_size = found->group_size, lanes = found->lanes, width = found->width,
                   period = found->period, leading = signs->leading;
    const struct cause_row rows[] = {
        { !period },
        { period == group_size && signs->first.from == 3 && signs->length == 1 &&
              signs->second.from == 5 && signs->second.to == 8 && signs->second.count == 0,
          CAUSE_NOT_WRITTEN_BACK,
          "only the elements 0, 1, 2, 4, 8 … of a group count: does each round of the tree write "
          "its value back to scratch[]?" },
        { width > 1 && found->counted * width <= period && signs->repeats, CAUSE_VECTOR_FILLED,
          "one element fills all components of a vector: (a, b) without a type before it is just "
          "b" },
        { signs->repeats_in_group && found->counted == period, CAUSE_OTHERS_PUBLISH,
          "values count twice: do other work-items publish as well, or is a round of the tree done "
          "twice?" },
        { lanes > 1 && leading == 1 && period == lanes, CAUSE_ONE_LANE,
          "only the first of %zu lanes counts: are the values of the other lanes combined?",
          lanes },
        { width > 1 && leading == lanes && period == found->tile, CAUSE_ONE_COMPONENT,
          "only one component of each vector counts: fold() combines all of them" },
        { width > 1 && period == width && found->counted < width, CAUSE_ONE_COMPONENT,
          "only %zu of the %zu components of each vector count: fold() combines all of them",
          found->counted, width },
        { lanes > 1 && leading == lanes * lanes && period > leading, CAUSE_FIRST_SUB_GROUPS,
          "only the first %zu sub-groups count: does the group have more sub-groups than a "
          "sub-group has lanes?",
          lanes },
        { leading && leading * group_size == period, CAUSE_BARRIER_MISSING,
          "only the first work-item counts: is a barrier missing, or the tree's comparison "
          "inverted?" },
        { signs->repeats_by_group && leading * group_size > period && 2 * leading < period,
          CAUSE_BARRIER_MISSING,
          "only work-items 0..%zu count: is a barrier missing, or the tree's comparison inverted?",
          leading * group_size / (period ? period : 1) - 1 },
        { leading == lanes && period == found->groups * group_size, CAUSE_FIRST_SUB_GROUPS,
          "only the first work-item, or sub-group, of the first group counts: are the values of "
          "the others combined, here and in a later launch?" },
        { lanes > 1 && leading == lanes && period % lanes == 0, CAUSE_LANES_ASSUMED,
          "only one sub-group of %zu counts: a sub-group has %zu lanes here, but does the kernel "
          "assume another number?",
          period / lanes, lanes },
        { group_size == 1 && leading > 1 && period % leading == 0, CAUSE_ACCUMULATOR_LOST,
          "only 1 part in %zu of each block counts: are the other accumulators combined?",
          period / (leading ? leading : 1) },
        { true },
    };
    return choose_row(rows);
}

struct diagnosis blame_pattern(const struct signs *signs)
{
    const bool repeats_first = signs->is_repeated && signs->first.to == 1;
    const uint64_t period = signs->found->period;
    const struct cause_row rows[] = {
        { signs->found->width == 1 && (period == 4 || period == 8 || period == 16) &&
              signs->found->counted == period - 1 && !signs->repeats,
          CAUSE_ONE_COMPONENT,
          "one of %zu elements is lost each time: does a work-item load or combine fewer elements "
          "than it moves on by?",
          period },
        { period == 2, CAUSE_ROUND_WRONG,
          "every second element is lost: is a round missing, or its stride wrong?" },
        { signs->repeats_in_group && repeats_first && signs->second.to && signs->second.count == 0,
          CAUSE_SAME_ELEMENT,
          "all lanes, or work-items, read the same element: is lane() or their id missing from the "
          "index?" },
        { repeats_first, CAUSE_ELEMENT_0_AGAIN,
          "element 0 is read again and again: is the index that of the loop? Or does an "
          "accumulator begin with element 0?" },
        { signs->repeats_in_group, CAUSE_ROUND_MISSING,
          "the tree loses elements: has it a round too few? Or is a barrier missing?" },
        { true },
    };
    return choose_row(rows);
}

/* Does the first element that a small variable cannot count have this index, or the last one that
 * it can? */
static bool is_limit_of_type(uint64_t index)
{
    static const uint64_t limits[] = { INT16_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX };
    for (int i = 0; i < 4; i++)
        if (index == limits[i] || index == limits[i] + 1)
            return true;
    return false;
}

struct diagnosis blame_end(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const uint64_t n = found->n, group_size = found->group_size, from = signs->first.from,
                   to = signs->first.to;
    const struct range last = signs->last;
    // A kernel without `values` may load vectors of its own.
    const uint64_t vector = from % 4 == 0 && n - from < 4 ? 4 : from & -from;
    const bool begins_with_group = group_size > 1 && from % group_size == 0;
    const uint64_t lost = last.count == 0 && last.to == n ? last.from : 0;
    const struct cause_row rows[] = {
        { signs->is_one_end && n - from < found->width, CAUSE_TAIL_NOT_READ,
          "no work-item reads the elements after the last whole vector" },
        { signs->is_one_end && n - from < found->tile, CAUSE_TAIL_NOT_READ,
          "no work-item reads the elements after the last whole tile" },
        { signs->is_lost && from == 0 && (to == 1 || to == group_size || to == group_size + 1),
          CAUSE_BEGINS_AT_1,
          "a loop begins at 1: element 0 is lost, or in a later stage that of group 0" },
        { signs->is_lost && last.count == 0 && last.from == n - 1, CAUSE_OFF_BY_ONE,
          "a bound is off by one at the end, i < n, or a division rounds down" },
        { signs->is_one_end && (from == (uint16_t)n || from == (uint32_t)n), CAUSE_N_TRUNCATED,
          "n does not fit into a variable: it is cut to 16 or 32 bits" },
        // As many work-items may be a coincidence.
        { is_limit_of_type(lost) && lost != found->groups * group_size * found->width,
          CAUSE_N_TRUNCATED,
          "the elements from %zu on are lost: is n or an index kept in a variable that is too "
          "small for it, such as a short, an int or a uint?",
          lost },
        { signs->is_one_end && begins_with_group && from == n / group_size * group_size &&
              found->has_group_each,
          CAUSE_LAST_GROUP_MISSING,
          "the last group is launched, or counted, only if it is full: ceil_div(n, group_size)" },
        { signs->is_one_end && begins_with_group && from == group_size * group_size &&
              found->width == 1,
          CAUSE_STAGE_MISSING, "a stage is missing: a group combines %zu values, and more are left",
          group_size },
        { signs->is_one_end && found->is_right_in_256, CAUSE_SIZE_256_ASSUMED,
          "groups of %zu are wrong, but groups of 256 are right: does the kernel or the plan "
          "contain "
          "a number where the group size belongs?",
          group_size },
        { signs->is_one_end && begins_with_group && found->has_group_each, CAUSE_NEXT_STAGE,
          "the partial results from group %zu on are lost: does the next stage read all of them, "
          "and from which array?",
          from / group_size },
        { signs->is_one_end && vector > n - from && vector <= 16, CAUSE_TAIL_NOT_READ,
          "no work-item reads the last elements: are they the rest after the last whole vector of "
          "%zu?",
          vector },
        { signs->is_one_end, CAUSE_REST_NOT_READ,
          "no work-item reads the last elements: is there a limit, or one element each, or a "
          "division that rounds down?" },
        { true },
    };
    return choose_row(rows);
}
