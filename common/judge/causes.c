/* Wrong kernels, and how each shows itself from outside. Learners have written and published nearly
 * all of these mistakes: see tests/judge/mutants/.
 *
 *   how often each element counts    1 0 0 0 1 0 0 0 …    the pattern repeats every 4 elements
 *   lanes                 4          one_lane             only the first lane counts
 *   vectors of            4          one_component        only .x of each vector counts
 *
 *   evidence --read_signs()--> signs --blame_…()--> the row of a cause, or a row without a sentence
 *
 * Oclgrind has been asked before, so nothing here guesses what it sees for certain. The most
 * telling evidence is asked first: how the elements count as a whole, then the pattern of the lost
 * and repeated elements, then the place of the lost ones, and at last the values. */
#include "causes.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What the families of causes ask of the evidence. */
struct signs {
    const struct evidence *found;
    const struct operation *operation;
    struct range first, second, last; // of the ranges that do not count once; zeros: there is none
    uint64_t length;                  // of the first range
    uint64_t times;                   // that its elements count, if several times; otherwise 0
    uint64_t most_times;              // that any element counts
    bool is_lost, is_repeated;        // it counts not at all; it counts several times
    bool is_everything, is_one_end;   // it holds all elements; it is the only one, and at the end
    uint64_t leading;                 // elements of a period that count, if these are the first
    bool repeats_in_group;            // the period divides a group
    bool is_cut_short;            // only the first work-items of each group count, fewer than half
    bool loses, repeats, changes; // at least one range
};

static struct signs read_signs(const struct evidence *found, const struct operation *operation)
{
    const struct range *ranges = found->ranges, *end = ranges + found->range_count;
    struct signs signs = { found, operation };
    if (found->range_count > 0) {
        signs.first = ranges[0];
        signs.last = end[-1];
    }
    if (found->range_count > 1)
        signs.second = ranges[1];
    signs.length = signs.first.to - signs.first.from;
    signs.is_lost = signs.first.to > 0 && signs.first.count == 0;
    signs.is_repeated = signs.first.count > 1;
    signs.times = signs.is_repeated ? (uint64_t)signs.first.count : 0;
    signs.is_everything = signs.length == found->n;
    signs.is_one_end =
        signs.is_lost && found->range_count == 1 && found->n - signs.first.to < found->tile;
    // The elements before the first range count. If these are all that count, they come first.
    signs.leading = found->counted == signs.first.from ? found->counted : 0;
    signs.repeats_in_group = found->period && found->group_size % found->period == 0;
    // A tree that loses the last of an odd number loses no neighbours in an even group.
    signs.is_cut_short = found->group_size % 2 == 0 && signs.leading > 1 &&
                         found->period == found->group_size * found->width &&
                         signs.first.to == found->period && 2 * signs.leading < found->period;
    for (const struct range *range = ranges; range < end; range++) {
        signs.loses |= range->count == 0;
        signs.repeats |= range->count > 1;
        signs.changes |= range->kind == RANGE_CHANGED;
        if (signs.most_times < (uint64_t)range->count)
            signs.most_times = (uint64_t)range->count;
    }
    return signs;
}

/* A row of a family: the first one that fits names the cause. The last one has no sentence. */
struct cause_row {
    bool fits;
    enum cause cause;
    const char *sentence; // a format for the two numbers
    uint64_t number, other;
};

static struct cause_row choose_row(const struct cause_row *row)
{
    while (!row->fits)
        row++;
    return *row;
}

/* How the elements count as a whole, and whether anything else enters the result. */
static struct cause_row blame_whole(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const uint64_t group_size = found->group_size, groups = found->groups, times = signs->times;
    const bool finishes = found->finishes_in_launch,
               loses_all = signs->is_everything && signs->is_lost,
               is_tail = signs->first.to == found->n && signs->first.from > 0,
               is_tried_as_sum = found->operation != signs->operation &&
                                 (signs->operation->has_extreme || signs->operation->is_floating);
    const struct cause_row rows[] = {
        { signs->operation->has_index && found->changes_identity, CAUSE_KEY,
          "the key is wrong: load(in, i) makes it of element i and its index i" },
        { found->is_no_sum || (loses_all && found->operation->has_extreme) ||
              (loses_all && !found->stale && is_tried_as_sum),
          CAUSE_OPERATOR,
          "the operator: does the kernel use something other than load() and combine()?" },
        { loses_all && finishes, CAUSE_NO_GROUP_FINISHES,
          "no group's value reaches the result: do the groups not write their values, or does no "
          "group find, by the counter of groups, that it is the last?" },
        { loses_all && found->stale, CAUSE_OUT_NOT_WRITTEN,
          "nothing is written to out, so its old value is the result" },
        { found->varies || found->scratch || found->beyond, CAUSE_UNKNOWN,
          "several mistakes look like this: a barrier, an atomic operation, a bound or an initial "
          "value may be missing. --races looks for these" },
        { found->is_right_in_powers_of_two && !found->stale && signs->repeats && signs->loses,
          CAUSE_LAST_PART_SMALLER,
          "groups of %" PRIu64 " are wrong, but groups of a power of two are right: does the "
          "kernel divide the group into equal parts, such as sub-groups, although the last one is "
          "smaller here?",
          group_size },
        { found->is_right_in_powers_of_two && !found->stale && !signs->repeats &&
              !signs->is_cut_short,
          CAUSE_TREE_LOSES_ODD,
          "groups of %" PRIu64 " are wrong, but groups of a power of two are right: does the tree "
          "lose the last of an odd number of values, or the values after a power of two?",
          group_size },
        { found->stale && (signs->is_lost || (finishes && found->range_count > 0)),
          CAUSE_READ_TOO_EARLY,
          "a group's value is combined before the group has written it to out, or the group never "
          "writes it" },
        { loses_all && found->n > INT32_MAX, CAUSE_N_TRUNCATED,
          "no element enters the result: is n or an index kept in an int, which ends at "
          "2147483647?" },
        { loses_all, CAUSE_NO_ELEMENT_LOADED,
          "no element enters the result: is the value of combine() not stored, is another value "
          "written, or has a loop no iteration, here or in a later launch, because of its bound?" },
        { found->stale, CAUSE_OUT_NOT_SET,
          "out is combined into, or read, before it is set: does the host or the kernel write the "
          "identity to it? Or does the kernel read in[i] at i >= n?" },
        { found->changes_identity, CAUSE_ACCUMULATOR_START,
          "an accumulator does not begin with identity(), or values are not combined by "
          "combine()" },
        { groups > 1 && (times == groups * group_size || (times == groups && is_tail)),
          CAUSE_READ_BY_ALL,
          "every work-item, or every group, reads these elements: which one of them should?" },
        { signs->is_everything && signs->is_repeated, CAUSE_ALL_PUBLISH,
          "each element is combined %" PRIu64 " times: do several work-items publish their group's "
          "value, instead of one, if (id == 0)? Do they read the same elements? Or is a value "
          "multiplied, or combined with itself?",
          times },
        { true },
    };
    return choose_row(rows);
}

/* The path of a work-item: where it begins, how far it moves on, what it does with each element. */
static struct cause_row blame_path(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const uint64_t group_size = found->group_size, groups = found->groups, block = found->block;
    const struct range first = signs->first, second = signs->second;
    const struct cause_row rows[] = {
        { signs->is_lost && first.from == 1 && first.to == block && second.from == block + 1 &&
              block != found->lanes,
          CAUSE_LOOP_TOO_SHORT,
          "only the first element of each block counts: is the loop too short, or its step too "
          "long?" },
        { signs->is_lost && first.from == groups * group_size * found->width &&
              found->n > 2 * first.from && found->n - first.to < found->tile &&
              !found->is_right_in_256,
          CAUSE_LOOP_TOO_SHORT,
          "only the first element, or vector, of each work-item counts: is there a loop, is the "
          "value of combine() stored, and does the loop move on by get_global_size(0), counted in "
          "vectors if it reads vectors?" },
        { signs->is_lost && first.from == 0 && first.to >= groups * group_size &&
              groups * group_size > 1 && first.to < found->n,
          CAUSE_ACCUMULATOR_OVERWRITTEN,
          "only the last element of each work-item counts: all = combine(all, …), not all = …" },
        { first.from == 0 && signs->length == 1 && second.count > 1 && first.count > second.count,
          CAUSE_ELEMENT_0_AGAIN,
          "each work-item combines element 0: does an accumulator begin with it, instead of "
          "identity()?" },
        { signs->is_repeated && signs->length == 1 && first.from == block && block > 1,
          CAUSE_BLOCKS_OVERLAP,
          "blocks overlap: the first element of each block is also the last of the previous one: i "
          "< end" },
        { found->width == 1 && first.count == 2 && first.from == 1 && second.from == 2 &&
              second.count == 3 && groups > 1 && signs->most_times <= groups,
          CAUSE_GROUPS_BEGIN_AT_0,
          "each group begins one element after the previous one: is the group's number multiplied "
          "by the group size?" },
        { found->width == 1 && first.count == 2 && first.from == 1 && second.from == 2 &&
              second.count == 3,
          CAUSE_STRIDE_OF_ONE,
          "element i counts i + 1 times: each work-item moves on by one element, not by as many "
          "as are read side by side" },
        { signs->is_repeated && first.from == 0 && signs->length < found->n &&
              signs->length == groups * group_size * found->width,
          CAUSE_FIRST_ROUND_TWICE,
          "the first element of each work-item counts twice: does the accumulator begin with it, "
          "and the loop too?" },
        { found->width > 1 && first.count == 2 && first.from == 1, CAUSE_VECTORS_OVERLAP,
          "vectors overlap: each begins one element after the previous one, not %" PRIu64,
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

static bool is_power_of_two(uint64_t number) { return number && (number & (number - 1)) == 0; }

/* Only some parts of each vector, sub-group or group count, or one element counts for others. */
static struct cause_row blame_parts(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const uint64_t group_size = found->group_size, lanes = found->lanes, width = found->width,
                   period = found->period, counted = found->counted, leading = signs->leading;
    const bool repeats_first = signs->is_repeated && signs->first.to == 1,
               loses_second = signs->second.to && signs->second.count == 0,
               is_vector = period == 4 || period == 8 || period == 16;
    const struct cause_row rows[] = {
        { !period && !repeats_first },
        { period == group_size && signs->first.from == 3 && signs->length == 1 &&
              signs->second.from == 5 && signs->second.to == 8 && loses_second,
          CAUSE_NOT_WRITTEN_BACK,
          "only the elements 0, 1, 2, 4, 8 … of a group count: does each round of the tree write "
          "its value back to scratch[]?" },
        { width > 1 && period && counted * width <= period && signs->repeats, CAUSE_VECTOR_FILLED,
          "one element fills all components of a vector: (a, b) without a type before it is just "
          "b" },
        { signs->repeats_in_group && counted == period, CAUSE_OTHERS_PUBLISH,
          "some values are combined several times: does the tree, or a loop over scratch[], read "
          "places that were combined before, is a round done twice, or do other work-items publish "
          "as well?" },
        { lanes > 1 && counted == period / lanes && signs->first.from == 1 &&
              signs->length >= lanes - 1 && !signs->repeats,
          CAUSE_ONE_LANE,
          "only one lane of %" PRIu64 " counts: are the values of the other lanes combined, and do "
          "all lanes of a sub-group read the same chunk?",
          lanes },
        { width > 1 && leading == lanes && period == found->tile, CAUSE_ONE_COMPONENT,
          "only one component of each vector counts: fold() combines all of them" },
        { width > 1 && period == width && counted < width, CAUSE_ONE_COMPONENT,
          "only %" PRIu64 " of the %" PRIu64 " components of each vector count: fold() combines "
          "all of them",
          counted, width },
        { width == 1 && is_vector && counted == period - 1 && !signs->repeats, CAUSE_ONE_COMPONENT,
          "one of %" PRIu64 " elements is lost each time: does a work-item load or combine fewer "
          "elements than it moves on by?",
          period },
        { lanes > 1 && leading == lanes * lanes && period > leading, CAUSE_FIRST_SUB_GROUPS,
          "only the first %" PRIu64 " sub-groups count: does the group have more sub-groups than a "
          "sub-group has lanes?",
          lanes },
        { leading == lanes && period == found->groups * group_size, CAUSE_FIRST_SUB_GROUPS,
          "only the first work-item, or sub-group, of the first group counts: are the values of "
          "the others combined, here and in a later launch?" },
        { (group_size < period || (found->has_sub_groups && period >= 8)) && leading == 1 &&
              lanes == 1 && is_power_of_two(period),
          CAUSE_LANES_ASSUMED,
          "only one element of %" PRIu64 " counts: does the kernel assume that a sub-group has "
          "so many lanes, although it has one here, in a group of %" PRIu64 "?",
          period, group_size },
        { lanes > 1 && leading == lanes && period == group_size, CAUSE_FIRST_SUB_GROUPS,
          "only the first sub-group of each group counts: are the values of the others combined, "
          "or does the kernel assume that a sub-group has more than %" PRIu64 " lanes?",
          lanes },
        { lanes > 1 && leading == lanes && period % lanes == 0, CAUSE_LANES_ASSUMED,
          "only the first %" PRIu64 " elements of every %" PRIu64 " count, and a sub-group has as "
          "many lanes here: does the kernel assume another number, or does the loop of a chunk "
          "move on by more than lanes()?",
          lanes, period },
        { group_size == 1 && leading > 1 && period % leading == 0, CAUSE_ACCUMULATOR_LOST,
          "only 1 part in %" PRIu64 " of each block counts: are the other accumulators combined?",
          period / (leading ? leading : 1) },
        { signs->repeats_in_group && repeats_first && loses_second, CAUSE_SAME_ELEMENT,
          "all lanes, or work-items, read the same element: is lane() or their id missing from the "
          "index?" },
        { repeats_first, CAUSE_ELEMENT_0_AGAIN,
          "element 0, or the first value of a later loop, is combined again: is the index that of "
          "the loop? Or does an accumulator begin with it, and the loop too?" },
        { signs->is_cut_short, CAUSE_SIZE_256_ASSUMED,
          "only the first %" PRIu64 " work-items of each group of %" PRIu64 " count: does the "
          "kernel contain a number, or a variable that is too small, such as a uchar, where the "
          "group size belongs?",
          leading / width, group_size },
        { signs->repeats_in_group, CAUSE_ROUND_MISSING,
          "each group loses the same elements: does a work-item read them? If so, is a round of "
          "the tree missing, or the last iteration of another loop, its stride wrong, its "
          "comparison inverted, or is a value overwritten without combine()?" },
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

/* The lost elements lie at one end. */
static struct cause_row blame_end(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const uint64_t n = found->n, group_size = found->group_size, from = signs->first.from,
                   to = signs->first.to;
    const struct range last = signs->last;
    // A kernel without `values` may load vectors of its own.
    const uint64_t vector = from % 4 == 0 && n - from < 4 ? 4 : from & -from;
    const bool begins_with_group = group_size > 1 && from % group_size == 0;
    // So many are lost if n divided by the number of work-items is rounded down.
    const bool is_remainder = n - from == n % (found->groups * group_size);
    const uint64_t lost = last.count == 0 && last.to == n ? last.from : 0;
    // As many work-items may be a coincidence.
    const bool is_cut = is_limit_of_type(lost) && lost != found->groups * group_size * found->width;
    const struct cause_row rows[] = {
        { signs->is_one_end && n - from < found->width, CAUSE_TAIL_NOT_READ,
          "no work-item reads the elements after the last whole vector" },
        { signs->is_one_end && n - from < found->tile, CAUSE_TAIL_NOT_READ,
          "no work-item reads the elements after the last whole tile" },
        { signs->is_lost && !found->period && from == 0 &&
              (to == 1 || to == group_size || to == group_size + 1),
          CAUSE_BEGINS_AT_1,
          "a loop begins at 1: element 0 is lost, or in a later stage that of group 0" },
        { signs->is_lost && last.count == 0 && last.from == n - 1, CAUSE_OFF_BY_ONE,
          "a bound is off by one at the end, i < n, or a division rounds down" },
        { is_cut || (signs->is_one_end && (from == (uint16_t)n || from == (uint32_t)n)),
          CAUSE_N_TRUNCATED,
          "the elements from %" PRIu64 " on are lost: is n or an index kept in a variable that is "
          "too small for it, such as a short, an int or a uint?",
          last.from },
        { signs->is_one_end && begins_with_group && from == n / group_size * group_size &&
              found->has_group_each,
          CAUSE_LAST_GROUP_MISSING,
          "the last group is launched, or counted, only if it is full: ceil_div(n, group_size)" },
        { signs->is_one_end && begins_with_group && from == group_size * group_size &&
              found->width == 1,
          CAUSE_STAGE_MISSING,
          "a stage is missing: a group combines %" PRIu64 " values, and more are left",
          group_size },
        { signs->is_one_end && found->is_right_in_256, CAUSE_SIZE_256_ASSUMED,
          "groups of %" PRIu64 " are wrong, but groups of 256 are right: does the kernel or the "
          "plan contain a number where the group size belongs?",
          group_size },
        { signs->is_one_end && vector > n - from && vector <= 16 && !is_remainder,
          CAUSE_TAIL_NOT_READ,
          "no work-item reads the last elements: are they the rest after the last whole vector of "
          "%" PRIu64 "?",
          vector },
        { signs->is_one_end, CAUSE_REST_NOT_READ,
          "no work-item reads the last elements: is there a limit, or one element each, or a "
          "division that rounds down?" },
        { true },
    };
    return choose_row(rows);
}

/* No place is known, or none tells. */
static struct cause_row blame_values(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const bool is_right = !found->is_wrong;
    const struct cause_row rows[] = {
        { is_right && !signs->operation->is_commutative, CAUSE_ORDER,
          "the order: is a left operand on the right somewhere?" },
        { is_right && signs->operation->has_index, CAUSE_INDEX,
          "the index: load(in, i) stores the i that it is given, and of equal elements the first "
          "one must win; 0 equals -0, an infinity may win, and a NaN never wins" },
        { is_right && found->is_wrong_with_nan, CAUSE_NAN,
          "NaN: a comparison with it is false, so x < all ? x : all skips it, but "
          "all < x ? all : x keeps it; the result must skip every NaN" },
        { is_right || signs->changes, CAUSE_OPERATOR,
          "the operator: does the kernel use something other than load() and combine(), or a type "
          "that is too narrow for a value? Or, if the operator is yours: is combine() associative, "
          "and is IDENTITY neutral?" },
        { found->operation == signs->operation && found->operation->has_extreme, CAUSE_OPERATOR,
          "the lost elements follow no pattern of places: does the comparison use all bits of both "
          "values?" },
        { signs->loses && signs->repeats, CAUSE_ELEMENTS_EXCHANGED,
          "some elements are lost, others count twice: a work-item or group reads another's "
          "elements, or a barrier is missing" },
        { true, CAUSE_UNKNOWN, "several mistakes look like this" },
    };
    return choose_row(rows);
}

enum cause print_cause(const struct evidence *found, const struct operation *operation,
                       const char *mark)
{
    static struct cause_row (*const families[])(const struct signs *signs) = {
        blame_whole, blame_path, blame_parts, blame_end, blame_values
    };
    const struct signs signs = read_signs(found, operation);
    struct cause_row row = { false };
    for (size_t i = 0; !row.sentence && i < sizeof families / sizeof *families; i++)
        row = families[i](&signs);
    printf("%s%s", mark, row.cause == CAUSE_UNKNOWN ? "" : "likely: ");
    printf(row.sentence, row.number, row.other);
    puts("");
    print_kind(row.cause, mark);
    return row.cause;
}

void print_kind_name(const char *name, const char *mark)
{
    if (!getenv("REDUCE_CAUSE"))
        return;
    printf("%s%scause: ", mark, mark[0] == '#' ? "" : "# ");
    for (; *name; name++)
        putchar(tolower(*name));
    puts("");
}

void print_kind(enum cause cause, const char *mark)
{
#define CAUSE_NAME(name) #name
    static const char *const names[] = { CAUSES(CAUSE_NAME) };
    print_kind_name(names[cause], mark);
}
