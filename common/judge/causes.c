/* Wrong kernels, and how each shows itself from outside. Learners have written and published nearly
 * all of these mistakes: see tests/judge/mutants/.
 *
 *   how often each element counts    1 0 0 0 1 0 0 0 …    the pattern repeats every 4 elements
 *   lanes                 4          one_lane             only the first lane counts
 *   vectors of            4          one_component        only .x of each vector counts
 *
 * find_cause(), at the end of this file, calls one function for each sort of evidence. Such a
 * function first names the signs of its mistakes. Then it returns the first cause of its list that
 * fits. Its sentence is a true statement or a question.
 *
 * The judge asks Oclgrind first. So no list has what Oclgrind sees, such as a race. */
#include "causes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Each of these lists ends with a cause that fits always; { true } means that no cause fits. */
struct cause {
    bool fits;
    const char *name;     // NULL: unknown, so the sentence is no guess
    const char *sentence; // a format for the numbers; NULL: no cause
    uint64_t numbers[3];
    bool is_vague; // a picture of the kernel would tell more
};

static const char n_is_truncated[] =
    "is n or an index kept in a variable that is too small for it, such as a short, an int or a "
    "uint? Or does each work-item read a fixed number of elements?";
static const char bound_is_off_by_one[] =
    "a bound is off by one at the end, here or in a later stage: i < n, not i < n - 1? Or does a "
    "division round down?";

/* Returns the first cause of a list that fits. */
static struct cause find_first_that_fits(const struct cause *cause)
{
    while (!cause->fits)
        cause++;
    return *cause;
}

/* Does the first element that a small variable cannot count have this index, or the last one that
 * it can? */
static bool is_end_of_type(uint64_t index)
{
    static const uint64_t largest[] = { INT16_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX };
    for (int i = 0; i < 4; i++)
        if (index == largest[i] || index == largest[i] + 1)
            return true;
    return false;
}

/* If there is no such range, all its members are 0. */
static bool is_lost(const struct range *range) { return range->to > 0 && range->count == 0; }

static bool loses(const struct evidence *found)
{
    bool loses = false;
    for (int i = 0; i < found->range_count; i++)
        loses |= is_lost(&found->ranges[i]);
    return loses;
}

static bool repeats(const struct evidence *found)
{
    bool repeats = false;
    for (int i = 0; i < found->range_count; i++)
        repeats |= found->ranges[i].count > 1;
    return repeats;
}

/* Is exactly one range lost, and does it end at n, or at a tail that counts? */
static bool loses_end(const struct evidence *found)
{
    const uint64_t from = found->ranges[0].from, to = found->ranges[0].to, n = found->n;
    return found->range_count == 1 && is_lost(&found->ranges[0]) && from > 0 &&
           (to == n || (n - to < found->row && to % found->width == 0));
}

static bool repeats_in_group(const struct evidence *found)
{
    return found->period && found->group_size % found->period == 0;
}

/* If only the first elements of each period count, returns how many these are; otherwise 0. */
static uint64_t count_leading(const struct evidence *found)
{
    return found->counted == found->ranges[0].from ? found->counted : 0;
}

/* Do fewer than half of the elements that a group loads count, the first ones? A tree that loses
 * the last of an odd number of values does not look like this in an even group. */
static bool is_cut_short(const struct evidence *found)
{
    const uint64_t leading = count_leading(found), loaded = found->group_size * found->width;
    return found->group_size % 2 == 0 && leading > 1 && found->period == loaded &&
           found->ranges[0].to == loaded && 2 * leading < loaded;
}

/* Evidence: all elements together. They are lost, two runs differ, values that are no elements
 * enter the result, or groups of another size give the right result. */
static struct cause guess_from_all_elements(const struct evidence *found,
                                            const struct operation *operation)
{
    const struct range *first = &found->ranges[0];
    const bool loses_all = is_lost(first) && first->to - first->from == found->n;
    // The kernel may be written for its own operation, and so be no sum.
    const bool may_be_no_sum = found->operation != operation && !found->times_from_out &&
                               (operation->has_extreme || operation->is_floating);
    const bool shows_old_out = found->is_unwritten && (found->varies || !found->is_wrong);
    const bool needs_power_of_two = found->right_power_of_two && !found->times_from_out &&
                                    (repeats(found) ? loses(found) : !is_cut_short(found));
    const bool may_read_too_early = found->finishes_in_launch && found->range_count > 0;
    const struct cause causes[] = {
        { operation->has_index && found->changes_identity, "key",
          "is each key that of load(in, i), made of element i and its index i?" },
        { found->is_no_sum || (loses_all && (found->operation->has_extreme || may_be_no_sum)),
          "operator",
          "the operator: does the kernel use something other than load() and combine()?" },
        { loses_all && found->finishes_in_launch, "no_group_finishes",
          "no group's value reaches the result: do the groups not write their values, or does no "
          "group find, by the counter of groups, that it is the last?" },
        { shows_old_out || (loses_all && found->times_from_out), "out_not_written",
          "old values of out are the result: does no work-item write to out?" },
        { found->varies || found->times_from_local || found->times_beyond_n, NULL,
          "several mistakes look like this: a barrier, an atomic operation, a bound or an initial "
          "value may be missing, or an update may consist of two atomics, between which another "
          "work-item writes. --races looks for these, except the last" },
        { needs_power_of_two,
          "power_of_two_assumed",
          "groups of %" PRIu64 " are wrong, but groups of %" PRIu64 " are right: does the tree "
          "lose the last of an odd number of values, or is a part of the group, such as the last "
          "sub-group, smaller than the kernel assumes?",
          { found->group_size, found->right_power_of_two } },
        { found->times_from_out && (is_lost(first) || may_read_too_early), "read_too_early",
          "is a group's value combined before the group has written it to out, or does the group "
          "never write it?" },
        { loses_all && found->n <= INT32_MAX, "no_element_loaded",
          "no element enters the result: is the value of combine() not stored, is another value "
          "written, or has a loop no iteration, here or in a later launch, because of its bound?" },
        { loses_all, "n_truncated",
          "no element enters the result: is n or an index kept in a variable that is too small for "
          "it, such as an int?" },
        { found->times_from_out, "out_not_set",
          "out is combined into, or read, before it is set: does a group without elements write "
          "nothing, does nobody write the identity to out, or does the kernel read in[i] at "
          "i >= n?" },
        { found->changes_identity, "accumulator_start",
          "does an accumulator not begin with identity(), or are values not combined by "
          "combine()?" },
        { true },
    };
    return find_first_that_fits(causes);
}

/* Evidence: elements are lost at the end, and nowhere else. One of the causes always fits. */
static struct cause guess_from_lost_end(const struct evidence *found)
{
    const uint64_t n = found->n, from = found->ranges[0].from, to = found->ranges[0].to,
                   rest = n - from, group_size = found->group_size, width = found->width,
                   row = found->row, work_items = found->groups * group_size;
    const bool is_first_round = from == work_items * width && n > 2 * from;
    const bool is_group_each = group_size > 1 && rest >= row && found->has_group_each;
    const bool is_last_group = from == work_items - group_size && to == work_items;
    // A kernel without a width may load vectors of its own. Then the lost tail begins at a multiple
    // of such a vector, and is shorter: the largest power of two that divides `from`.
    const uint64_t own_vector = from % 4 == 0 && rest < 4 ? 4 : from & -from;
    const bool is_own_tail = rest < own_vector && own_vector <= 16 && rest != n % work_items;
    const bool is_tail = to == n && from % width == 0 && (rest < row || is_own_tail);
    const bool is_cut_off = from == (uint16_t)n || from == (uint32_t)n || is_end_of_type(from);
    const struct cause causes[] = {
        { is_first_round && !found->is_right_in_256, "loop_too_short",
          "does only the first element, or vector, of each work-item count? Is there a loop, is "
          "the value of combine() stored, and is the step too long? get_global_size(0) counts "
          "vectors if the kernel reads vectors" },
        { from == group_size * group_size && from < work_items && width == 1,
          "stage_missing",
          "is a stage missing? A group combines %" PRIu64 " values, and more may be left",
          { group_size } },
        { rest >= row && found->is_right_in_256,
          "size_256_assumed",
          "groups of %" PRIu64 " are wrong, but groups of 256 are right: does the kernel or the "
          "plan contain a number where the group size belongs?",
          { group_size } },
        { is_group_each && from == n / group_size * group_size, "last_group_missing",
          "is the last group launched, or counted, only if it is full? ceil_div(n, group_size)" },
        { is_tail && rest > 1, "tail_not_read",
          "does no work-item read the elements after the last whole vector or row?" },
        { from == n - 1 || is_last_group, "off_by_one", bound_is_off_by_one },
        { is_cut_off, "n_truncated", n_is_truncated },
        { true, "rest_not_read",
          "does no work-item read the last elements? Is there a limit, or one element each, or a "
          "division that rounds down?" },
    };
    return find_first_that_fits(causes);
}

/* Evidence: the counts repeat in each vector or sub-group. */
static struct cause guess_from_vectors(const struct evidence *found)
{
    const uint64_t lanes = found->lanes, width = found->width, period = found->period,
                   counted = found->counted, leading = count_leading(found),
                   from = found->ranges[0].from, to = found->ranges[0].to;
    // A lane's elements are neighbours, or one in each row of lanes: see block_read().
    const bool only_one_lane = lanes > 1 && counted == period / lanes &&
                               (from == 1 || from == width) && to >= from * lanes;
    const bool loses_components =
        width > 1 && ((period == width && counted < width) ||
                      (period == found->row && leading > 0 && leading == lanes));
    // A kernel without a width may load vectors of its own.
    const bool loses_one_of_vector =
        width == 1 && counted == period - 1 && (period == 4 || period == 8 || period == 16);
    const bool has_sub_groups = lanes > 1 || (found->has_sub_groups && period >= 8);
    const struct cause causes[] = {
        { width > 1 && counted * width <= period && repeats(found), "vector_filled",
          "does one element fill all components of a vector? (a, b) without a type before it is "
          "just b" },
        { only_one_lane && !repeats(found),
          "one_lane",
          "does only one lane of %" PRIu64 " count? Are the values of the other lanes combined, "
          "and do all lanes of a sub-group read the same chunk?",
          { lanes } },
        { loses_components || (loses_one_of_vector && !repeats(found)),
          "one_component",
          "only %" PRIu64 " of every %" PRIu64 " elements count: does fold() combine all "
          "components of a vector, or does a work-item load fewer elements than it moves on by?",
          { counted, period } },
        { has_sub_groups && leading > 0 && (leading == lanes || leading == lanes * lanes),
          "first_sub_groups",
          "only the first %" PRIu64 " of every %" PRIu64 " elements count: are the values of the "
          "other sub-groups combined, here and in a later launch, or does the kernel assume "
          "another number of lanes than %" PRIu64 "?",
          { leading, period, lanes } },
        { true },
    };
    return find_first_that_fits(causes);
}

/* Evidence: elements are lost that are the first or last ones of a work-item or a group. */
static struct cause guess_from_lost_elements(const struct evidence *found)
{
    const struct range *first = found->ranges, *second = first + 1,
                       *last = first + found->range_count - 1;
    const uint64_t n = found->n, from = first->from, to = first->to, block = found->block,
                   group_size = found->group_size, work_items = found->groups * group_size;
    const bool in_every_group = repeats_in_group(found);
    const bool is_rest_of_block = from == 1 && to == block && second->from == block + 1;
    const bool is_last_of_block = block > 1 && from == block - 1 && to == block;
    const bool is_last_group = from == work_items - group_size && to == work_items;
    const bool is_last = is_lost(last) && last->from == n - 1 && found->range_count < 8;
    const bool is_start = from == 0 && (to == 1 || to == group_size || to == group_size + 1);
    const struct cause causes[] = {
        { is_rest_of_block, "loop_too_short",
          "does only the first element of each block count? Is there a loop, is the value of "
          "combine() stored, and does the loop move on by 1?" },
        { found->range_count == 1 && from == 0 && found->width > 1 && n - to < found->row &&
              to % found->width == 0,
          "vectors_lost",
          "does the loop over whole vectors have no iteration, for example because a division "
          "rounds down to 0, or is its value overwritten or not combined?" },
        { from == 0 && work_items > 1 && to >= work_items && n - to >= work_items,
          "accumulator_overwritten",
          "is an accumulator overwritten? all = combine(all, …), not all = …" },
        { !in_every_group && is_start && (!found->period || found->period == work_items),
          "begins_at_1", "does a loop begin at 1, here or in a later stage?" },
        { !in_every_group && (is_last_of_block || is_last_group || is_last), "off_by_one",
          bound_is_off_by_one },
        { true },
    };
    return find_first_that_fits(causes);
}

/* Evidence: elements count several times, where a work-item or a group begins, or as often as there
 * are work-items or groups. */
static struct cause guess_from_repeated_elements(const struct evidence *found)
{
    const struct range *first = found->ranges, *second = first + 1;
    const uint64_t n = found->n, from = first->from, to = first->to, length = to - from,
                   times = (uint64_t)first->count, groups = found->groups,
                   group_size = found->group_size, block = found->block;
    const bool once_each = times == groups * group_size || (times == groups && from > 0 && to == n);
    const bool counts_up = second->from == 2 && second->count == 3; // 1, 2, 3 times, …
    const struct cause causes[] = {
        { length == n || (groups > 1 && once_each), "combined_by_all",
          "do several work-items or groups read these elements, or publish their group's value, "
          "which only one should, if (id == 0)? Or is a value multiplied, or combined with "
          "itself?" },
        { length == 1 && from == block && block > 1, "blocks_overlap",
          "is the first element of each block also the last of the previous block? i < end" },
        { times == 2 && from == 1 && (counts_up || found->width > 1), "stride_of_one",
          "does each work-item, vector or group begin only one element after the previous one? "
          "Does an index or a loop move on by 1, or is a number not multiplied by the width or the "
          "group size?" },
        { times == 2 && from == group_size && groups > 1, "stride_of_group",
          "does each group move on by its own size, not by the size of the launch? "
          "get_global_size(0)" },
        { times == 2 && second->from == to && second->count == 3 && !found->period,
          "step_too_short",
          "does a loop move on by fewer elements than it reads, or only by the elements of a group "
          "or sub-group, not by those of the launch?" },
        { times == groups && from == 0 && length >= group_size && is_lost(second),
          "groups_begin_at_0",
          "do all groups begin at element 0? get_global_id(0), not get_local_id(0)" },
        { true },
    };
    return find_first_that_fits(causes);
}

/* Evidence: the counts repeat in each group, or whole rounds of a loop are lost or repeated. */
static struct cause guess_from_groups(const struct evidence *found)
{
    const struct range *first = &found->ranges[0];
    const uint64_t group_size = found->group_size, period = found->period,
                   leading = count_leading(found);
    const bool in_every_group = repeats_in_group(found);
    const uint64_t round = found->groups * group_size * found->width;
    const bool repeats_first = first->count > 1 && first->to == 1;
    const bool repeats_round = first->count > 1 && first->from == 0 && first->to == round;
    const bool loses_rounds =
        is_lost(first) && first->from > 0 && first->from % round == 0 && first->to % round == 0;
    const struct cause causes[] = {
        { in_every_group && found->counted == period, "others_publish",
          "does the tree, or a loop over scratch[], read places that were combined before, is a "
          "round done twice, or do other work-items publish as well?" },
        { in_every_group && repeats_first && is_lost(first + 1), "same_element",
          "do all lanes, or work-items, read the same element, because lane() or their id is "
          "missing from the index?" },
        { repeats_first || repeats_round, "element_0_again",
          "does an accumulator begin with an element that the loop reads again? Or is the index in "
          "load(in, i), or in a later loop, not that of the loop?" },
        { is_cut_short(found), "size_256_assumed",
          "is the group size kept in a variable that is too small for it, such as a uchar, or does "
          "the kernel contain a number where the group size belongs?" },
        { in_every_group, "round_missing",
          "does each group lose the same elements because no work-item reads them? If not, is a "
          "round of the tree missing, or the last iteration of another loop, its stride wrong, its "
          "comparison inverted, or is a value overwritten, or not written back to scratch[]?" },
        { leading > 0 && leading < group_size && period % group_size == 0, "first_work_item",
          "are the values of all work-items combined, here and in a later launch?" },
        { leading > 0 || loses_rounds, "step_too_long",
          "does a loop, here or in a later launch, end too early or move on by more elements than "
          "it reads, is one of several accumulators not combined, or does a division round down?" },
        { true },
    };
    return find_first_that_fits(causes);
}

/* Evidence: each element counts once, or the counts show neither a place nor a pattern. */
static struct cause guess_from_rest(const struct evidence *found, const struct operation *operation)
{
    const struct range *last = &found->ranges[found->range_count > 0 ? found->range_count - 1 : 0];
    const bool is_right = !found->is_wrong;
    bool changes = found->operation == operation && operation->has_extreme;
    for (int i = 0; i < found->range_count; i++)
        changes |= found->ranges[i].effect == RANGE_CHANGED;
    const struct cause causes[] = {
        { is_right && !operation->is_commutative, "order",
          "the order: is a left operand on the right somewhere?" },
        { is_right && operation->has_index, "index",
          "the index: load(in, i) stores the i that it is given, and of equal elements the first "
          "one must win; 0 equals -0, an infinity may win, and a NaN never wins" },
        { is_right && found->is_wrong_with_nan, "nan",
          "NaN: a comparison with it is false, so x < all ? x : all skips it, but "
          "all < x ? all : x keeps it; the result must skip every NaN" },
        { is_right || changes, "operator",
          "the operator: does the kernel use something other than load() and combine(), a type "
          "that is too narrow for a value, or only some of its bits? Or, if the operator is "
          "yours: is combine() associative, and is IDENTITY neutral?" },
        { is_lost(last) && is_end_of_type(last->from), "n_truncated", n_is_truncated },
        { loses(found) && repeats(found), "elements_exchanged",
          "does a work-item or group read another's elements, or is one value combined twice and "
          "another one not at all?" },
        { repeats(found) && !loses(found), "read_twice",
          "does a loop begin too early or end too late, so that another loop, accumulator or "
          "work-item reads the same elements?",
          .is_vague = true },
        { true, NULL, "several mistakes look like this", .is_vague = true },
    };
    return find_first_that_fits(causes);
}

/* Each function in turn looks at the evidence that the previous ones do not explain. */
static struct cause find_cause(const struct evidence *found, const struct operation *operation)
{
    const struct range *first = &found->ranges[0];
    struct cause cause = guess_from_all_elements(found, operation);
    if (!cause.sentence && loses_end(found))
        cause = guess_from_lost_end(found);
    if (!cause.sentence && found->period)
        cause = guess_from_vectors(found);
    if (!cause.sentence && is_lost(first))
        cause = guess_from_lost_elements(found);
    if (!cause.sentence && first->count > 1)
        cause = guess_from_repeated_elements(found);
    if (!cause.sentence)
        cause = guess_from_groups(found);
    if (!cause.sentence)
        cause = guess_from_rest(found, operation);
    return cause;
}

bool print_cause(const struct evidence *found, const struct operation *operation, const char *mark)
{
    const struct cause cause = find_cause(found, operation);
    printf("%s%s", mark, cause.name ? "likely: " : "");
    printf(cause.sentence, cause.numbers[0], cause.numbers[1], cause.numbers[2]);
    puts("");
    print_cause_name(cause.name ? cause.name : "unknown", mark);
    return cause.is_vague;
}

void print_cause_name(const char *name, const char *mark)
{
    if (getenv("REDUCE_CAUSE"))
        printf("%s%scause: %s\n", mark, mark[0] == '#' ? "" : "# ", name);
}
