/* Wrong kernels, and how each shows itself from outside. Learners have written and published nearly
 * all of these mistakes: see tests/judge/mutants/.
 *
 *   how often each element counts    1 0 0 0 1 0 0 0 …    the pattern repeats every 4 elements
 *   lanes                 4          one_lane             only the first lane counts
 *   vectors of            4          one_component        only .x of each vector counts
 *
 *   evidence --> signs --> the first row of the table that fits
 *
 * The judge asks Oclgrind first. So this table has no row for what Oclgrind sees, such as a race.
 */
#include "causes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A row of the table. */
struct cause {
    bool fits;
    const char *kind;     // NULL: unknown, so the sentence is no guess
    const char *sentence; // a format for the numbers
    uint64_t numbers[3];
    bool is_vague; // a picture of the kernel would tell more
};

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

/* Returns the first row that fits: the most telling evidence is asked first. */
static struct cause find_cause(const struct evidence *found, const struct operation *operation)
{
    const uint64_t n = found->n, group_size = found->group_size, groups = found->groups,
                   work_items = groups * group_size, lanes = found->lanes, width = found->width,
                   tile = found->tile, block = found->block, period = found->period,
                   counted = found->counted;
    const bool finishes = found->finishes_in_launch;
    const bool is_right = !found->is_wrong;
    const bool is_as_asked = found->operation == operation;

    // The ranges of elements that do not count once. All zeros: there is no such range.
    const struct range *first = found->ranges, *second = first + 1,
                       *last = first + (found->range_count > 1 ? found->range_count - 1 : 0);
    const uint64_t from = first->from, to = first->to, length = to - from;
    const uint64_t times = first->count > 1 ? (uint64_t)first->count : 0; // 0: not several times
    const bool is_lost = length > 0 && first->count == 0;
    const bool is_everything = length == n;
    const bool loses_all = is_everything && is_lost;
    const bool loses_second = second->to > 0 && second->count == 0;
    bool loses = false, repeats = false, changes = false; // at least one range
    for (const struct range *range = first; range < first + found->range_count; range++) {
        loses |= range->count == 0;
        repeats |= range->count > 1;
        changes |= range->kind == RANGE_CHANGED;
    }

    // Only elements at the end are lost. A kernel without a width may load vectors of its own. Then
    // the lost tail begins at a multiple of such a vector, and is shorter than it.
    const bool is_end =
        is_lost && found->range_count == 1 && (to == n || (n - to < tile && to % width == 0));
    const bool begins_with_group = group_size > 1 && from % group_size == 0;
    const uint64_t rest = n - from;
    const uint64_t own_vector =
        from % 4 == 0 && rest < 4 ? 4 : from & -from; // the largest power of two that divides from
    const uint64_t lost_from = last->count == 0 && last->to == n ? last->from : 0;

    // The counts repeat after a period. The elements before the first range count: `leading` of
    // them if these are all that count.
    const uint64_t leading = counted == from ? counted : 0;
    const bool repeats_in_group = period && group_size % period == 0;
    const bool loses_components =
        width > 1 && ((period == width && counted < width) || (period == tile && leading == lanes));
    const bool loses_one_of_vector = width == 1 && counted == period - 1 && !repeats &&
                                     (period == 4 || period == 8 || period == 16);
    const bool keeps_first_lanes = leading && (leading == lanes || leading == lanes * lanes) &&
                                   (lanes > 1 || (found->has_sub_groups && period >= 8));
    const bool keeps_first_rounds = is_lost && from > 0 && to < n &&
                                    from % (work_items * width) == 0 &&
                                    to % (work_items * width) == 0;
    // A tree that loses the last of an odd number loses no neighbours in an even group.
    const bool is_cut_short = group_size % 2 == 0 && leading > 1 && period == group_size * width &&
                              to == period && 2 * leading < period;

    const struct cause causes[] = {
        // how the elements count as a whole, and whether anything else enters the result
        { operation->has_index && found->changes_identity, "key",
          "the key is wrong: load(in, i) makes it of element i and its index i" },
        { found->is_no_sum || (loses_all && (found->operation->has_extreme ||
                                             (!found->times_from_out && !is_as_asked &&
                                              (operation->has_extreme || operation->is_floating)))),
          "operator",
          "the operator: does the kernel use something other than load() and combine()?" },
        { loses_all && finishes, "no_group_finishes",
          "no group's value reaches the result: do the groups not write their values, or does no "
          "group find, by the counter of groups, that it is the last?" },
        { (loses_all && found->times_from_out) ||
              ((is_right || found->varies) && found->is_unwritten),
          "out_not_written", "nothing is written to out, so its old value is the result" },
        { found->varies || found->times_from_local || found->times_beyond_n, NULL,
          "several mistakes look like this: a barrier, an atomic operation, a bound or an initial "
          "value may be missing. --races looks for these",
          .is_vague = true },
        { found->right_power_of_two && !found->times_from_out && (repeats ? loses : !is_cut_short),
          "power_of_two_assumed",
          "groups of %" PRIu64 " are wrong, but groups of %" PRIu64 " are right: does the tree "
          "lose the last of an odd number of values, or is a part of the group, such as the last "
          "sub-group, smaller than the kernel assumes?",
          { group_size, found->right_power_of_two } },
        { found->times_from_out && (is_lost || (finishes && found->range_count > 0)),
          "read_too_early",
          "a group's value is combined before the group has written it to out, or the group never "
          "writes it" },
        { loses_all && n <= INT32_MAX, "no_element_loaded",
          "no element enters the result: is the value of combine() not stored, is another value "
          "written, or has a loop no iteration, here or in a later launch, because of its bound?" },
        { found->times_from_out, "out_not_set",
          "out is combined into, or read, before it is set: does the host or the kernel write the "
          "identity to it? Or does the kernel read in[i] at i >= n?" },
        { found->changes_identity, "accumulator_start",
          "an accumulator does not begin with identity(), or values are not combined by "
          "combine()" },
        { times && (is_everything || (groups > 1 && (times == work_items ||
                                                     (times == groups && from > 0 && to == n)))),
          "combined_by_all",
          "these elements are combined %" PRIu64 " times: do several work-items or groups read "
          "them, or publish their group's value, which only one should, if (id == 0)? Or is a "
          "value multiplied, or combined with itself?",
          { times } },

        // a work-item begins at a wrong element, moves on by a wrong step, or drops what it read
        { is_lost && ((from == 1 && to == block && second->from == block + 1 && block != lanes) ||
                      (from == work_items * width && n > 2 * from && n - to < tile &&
                       !found->is_right_in_256)),
          "loop_too_short",
          "only the first element, or vector, of each work-item counts: is there a loop, is the "
          "value of combine() stored, and is the step too long? get_global_size(0) counts vectors "
          "if the kernel reads vectors" },
        { is_lost && from == 0 && to >= work_items && work_items > 1 && to < n,
          "accumulator_overwritten",
          "only the last element of each work-item counts: all = combine(all, …), not all = …" },
        { times && length == 1 && from == block && block > 1, "blocks_overlap",
          "blocks overlap: the first element of each block is also the last of the previous one: i "
          "< end" },
        { times == 2 && from == 1 && (width > 1 || (second->from == 2 && second->count == 3)),
          "stride_of_one",
          "each work-item, vector or group begins only one element after the previous one: does an "
          "index or a loop move on by 1, or is a number not multiplied by the width or the group "
          "size?" },
        { times && from == 0 && length < n && length == work_items * width, "first_round_twice",
          "the first element of each work-item counts twice: does the accumulator begin with it, "
          "and the loop too?" },
        { times == 2 && from == group_size, "stride_of_group",
          "each group moves on by its own size, not by the size of the launch: "
          "get_global_size(0)" },
        { length >= group_size && from == 0 && times == groups && loses_second, "groups_begin_at_0",
          "all groups begin at element 0: get_global_id(0), not get_local_id(0)" },

        // elements are lost or repeated in a pattern inside each vector, sub-group or group
        { width > 1 && period && counted * width <= period && repeats, "vector_filled",
          "one element fills all components of a vector: (a, b) without a type before it is just "
          "b" },
        { repeats_in_group && counted == period, "others_publish",
          "some values are combined several times: does the tree, or a loop over scratch[], read "
          "places that were combined before, is a round done twice, or do other work-items publish "
          "as well?" },
        { period && lanes > 1 && counted == period / lanes && from == 1 && length >= lanes - 1 &&
              !repeats,
          "one_lane",
          "only one lane of %" PRIu64 " counts: are the values of the other lanes combined, and do "
          "all lanes of a sub-group read the same chunk?",
          { lanes } },
        { loses_components || loses_one_of_vector,
          "one_component",
          "only %" PRIu64 " of every %" PRIu64 " elements count: does fold() combine all "
          "components of a vector, or does a work-item load fewer elements than it moves on by?",
          { counted, period } },
        { keeps_first_lanes,
          "first_sub_groups",
          "only the first %" PRIu64 " of every %" PRIu64 " elements count: are the values of the "
          "other sub-groups combined, here and in a later launch, or does the kernel assume "
          "another number of lanes than %" PRIu64 "?",
          { leading, period, lanes } },
        { repeats_in_group && times && to == 1 && loses_second, "same_element",
          "all lanes, or work-items, read the same element: is lane() or their id missing from the "
          "index?" },
        { times && to == 1, "element_0_again",
          "element 0, or the first value of a later loop, is combined again: is the index that of "
          "the loop? Or does an accumulator begin with it, and the loop too?" },
        { is_end && from == group_size * group_size && from < work_items && width == 1,
          "stage_missing",
          "a stage is missing: a group combines %" PRIu64 " values, and more are left",
          { group_size } },
        { is_cut_short || (is_end && rest >= tile && found->is_right_in_256),
          "size_256_assumed",
          "groups of %" PRIu64 " are wrong: does the kernel or the plan contain a number, or a "
          "variable that is too small, such as a uchar, where the group size belongs?",
          { group_size } },
        { repeats_in_group, "round_missing",
          "each group loses the same elements: does a work-item read them? If so, is a round of "
          "the tree missing, or the last iteration of another loop, its stride wrong, its "
          "comparison inverted, or is a value overwritten, or not written back to scratch[]?",
          .is_vague = true },

        // the lost elements lie at one end, or in whole rounds of a loop
        { is_end && rest >= tile && begins_with_group && from == n / group_size * group_size &&
              found->has_group_each,
          "last_group_missing",
          "the last group is launched, or counted, only if it is full: ceil_div(n, group_size)" },
        { is_end && to == n && from % width == 0 && rest > 1 &&
              (rest < tile || (own_vector > rest && own_vector <= 16 && rest != n % work_items)),
          "tail_not_read", "no work-item reads the elements after the last whole vector or tile" },
        { is_lost && from == 0 && (to == 1 || to == group_size || to == group_size + 1) &&
              (!period || period == work_items),
          "begins_at_1",
          "a loop begins at 1: element 0 is lost, or in a later stage that of group 0" },
        { is_lost &&
              ((lost_from == n - 1 && found->range_count < 8) || (length == 1 && to == block) ||
               (from == work_items - group_size && to == work_items)),
          "off_by_one",
          "a bound is off by one at the end, here or in a later stage: i < n, not i < n - 1? Or "
          "does a division round down?" },
        { leading && !repeats_in_group && period % group_size == 0 && group_size > 1 &&
              leading < group_size,
          "first_work_item",
          "only the first %" PRIu64 " of every %" PRIu64 " elements count: are the values of the "
          "other work-items combined, here and in a later launch?",
          { leading, period } },
        { (leading && !repeats_in_group) || keeps_first_rounds,
          "step_too_long",
          "only the first %" PRIu64 " of every %" PRIu64 " elements count: does a loop move on by "
          "more elements than it reads, or is one of several accumulators not combined?",
          { from, to } },
        { (loses_all && n > INT32_MAX) || is_limit_of_type(lost_from) ||
              (is_end && from > 0 && (from == (uint16_t)n || from == (uint32_t)n)),
          "n_truncated",
          "is n or an index kept in a variable that is too small for it, such as a short, an int "
          "or a uint? Or does each work-item read a fixed number of elements?" },
        { is_end, "rest_not_read",
          "no work-item reads the last elements: is there a limit, or one element each, or a "
          "division that rounds down?" },

        // no place explains the evidence
        { is_right && !operation->is_commutative, "order",
          "the order: is a left operand on the right somewhere?" },
        { is_right && operation->has_index, "index",
          "the index: load(in, i) stores the i that it is given, and of equal elements the first "
          "one must win; 0 equals -0, an infinity may win, and a NaN never wins" },
        { is_right && found->is_wrong_with_nan, "nan",
          "NaN: a comparison with it is false, so x < all ? x : all skips it, but "
          "all < x ? all : x keeps it; the result must skip every NaN" },
        { is_right || changes || (is_as_asked && operation->has_extreme), "operator",
          "the operator: does the kernel use something other than load() and combine(), a type "
          "that is too narrow for a value, or only some of its bits? Or, if the operator is "
          "yours: is combine() associative, and is IDENTITY neutral?" },
        { loses && repeats, "elements_exchanged",
          "some elements are lost, others count twice: a work-item or group reads another's "
          "elements, or one value is combined twice and another one not at all" },
        { true, NULL, "several mistakes look like this", .is_vague = true },
    };
    const struct cause *cause = causes;
    while (!cause->fits)
        cause++;
    return *cause;
}

bool print_cause(const struct evidence *found, const struct operation *operation, const char *mark)
{
    const struct cause cause = find_cause(found, operation);
    printf("%s%s", mark, cause.kind ? "likely: " : "");
    printf(cause.sentence, cause.numbers[0], cause.numbers[1], cause.numbers[2]);
    puts("");
    print_kind(cause.kind ? cause.kind : "unknown", mark);
    return cause.is_vague;
}

void print_kind(const char *kind, const char *mark)
{
    if (getenv("REDUCE_CAUSE"))
        printf("%s%scause: %s\n", mark, mark[0] == '#' ? "" : "# ", kind);
}
