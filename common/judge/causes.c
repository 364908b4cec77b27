/* Wrong kernels, and how each shows itself from outside. Learners have written and published nearly
 * all of these mistakes: see tests/judge/mutants/.
 *
 *   how often each element counts    1 0 0 0 1 0 0 0 …    the pattern repeats every 4 elements
 *   groups of 4                      barrier_missing      only the first work-item counts
 *   vectors of 4                     one_component        only .x of each vector counts
 *
 * The most telling evidence is asked first: what an experiment showed (memory that was read before
 * it was written, two runs that differ), then how the elements count as a whole, then the pattern
 * of the lost and repeated elements, then the place of the lost ones, and at last the values. */
#include "causes.h"

#include "places.h"

/* The kernel does not use load(), combine() or load_values() as they are meant. */
static struct diagnosis blame_words(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const uint64_t width = found->width;
    const struct cause_row rows[] = {
        { signs->operation->has_index && found->changes_identity, CAUSE_KEY,
          "the key is wrong: load(in, i) makes it of element i and its index i" },
        { found->is_no_sum ||
              (signs->is_everything && signs->is_lost && found->operation->has_extreme) ||
              (signs->is_everything && signs->is_lost && !found->stale && signs->shows_values),
          CAUSE_OPERATOR,
          "the operator: does the kernel use something other than load() and combine()?" },
        // With as many lanes as components, the loss of all components but one looks the same.
        { width > 1 && found->period == width * width && signs->leading == width &&
              found->lanes != width,
          CAUSE_VECTOR_INDEX,
          "vectors are skipped: i counts vectors in load_values(in, i) and vload4(i, in), so i "
          "must not be multiplied by the width" },
        { true },
    };
    return choose_row(rows);
}

/* Another group size was tried: the next lower power of two. */
static struct diagnosis blame_group_size(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const uint64_t group_size = found->group_size;
    const struct cause_row rows[] = {
        { !found->is_right_in_powers_of_two },
        { found->scratch || found->stale || found->beyond || signs->is_repeated,
          CAUSE_TREE_COMPARISON,
          "groups of %zu are wrong, but groups of a power of two are right: is the comparison with "
          "id missing or wrong, or is a barrier missing?",
          group_size },
        { true, CAUSE_TREE_LOSES_ODD,
          "groups of %zu are wrong, but groups of a power of two are right: the tree loses the "
          "last of an odd number of values",
          group_size },
    };
    return choose_row(rows);
}

/* The result depends on what was in local memory. */
static struct diagnosis blame_local_memory(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const uint64_t group_size = found->group_size, tail = found->n % group_size;
    const struct cause_row rows[] = {
        { tail && (found->scratch == group_size - tail ||
                   (signs->is_repeated && signs->first.from % group_size == tail)),
          CAUSE_SCRATCH_NOT_SET,
          "scratch is not set by work-items with i >= n: it needs the identity there" },
        { found->scratch, CAUSE_READ_BEFORE_SET,
          "a variable or local memory is read before it is set: is a barrier missing?" },
        { true },
    };
    return choose_row(rows);
}

/* The result depends on what was in out or beyond n, or on the order in which work-items run. */
static struct diagnosis blame_global_memory(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const bool finishes = found->finishes_in_launch;
    const struct cause_row rows[] = {
        { signs->is_everything && signs->is_lost && found->stale, CAUSE_OUT_NOT_WRITTEN,
          "nothing is written to out, so its old value is the result" },
        { found->beyond && !found->varies, CAUSE_BOUND_MISSING,
          "the bound is missing or too large, here or in a later stage: i < n, also for vectors" },
        { found->stale && found->stale == found->groups - 1 && !finishes, CAUSE_ONE_PLACE_WRITTEN,
          "only one of %zu partial results is written: does each group write its own, "
          "out[get_group_id(0)]?",
          found->groups },
        { found->stale && (signs->is_lost || finishes), CAUSE_READ_TOO_EARLY,
          "a group's value is combined before the group has written it to out, or the group never "
          "writes it" },
        { found->varies, CAUSE_RACE,
          "a race: is a barrier missing, or an atomic operation? Or is local memory never set?" },
        { true },
    };
    return choose_row(rows);
}

/* No element counts. */
static struct diagnosis blame_lost_result(const struct signs *signs)
{
    const struct cause_row rows[] = {
        { !signs->is_everything || !signs->is_lost },
        { signs->found->finishes_in_launch, CAUSE_NO_GROUP_FINISHES,
          "no group finishes: does no group find, by the counter of groups, that it is the last?" },
        { true, CAUSE_NO_ELEMENT_LOADED,
          "no element enters the result: is it a constant, is the value of combine() not stored, "
          "or is a number of elements 0 because a division rounds down, here or in a later "
          "launch?" },
    };
    return choose_row(rows);
}

/* The result holds something besides the elements. */
static struct diagnosis blame_start(const struct signs *signs)
{
    const struct cause_row rows[] = {
        { signs->found->stale, CAUSE_OUT_NOT_SET,
          "out is combined into, or read, before it is set: does the host or the kernel write the "
          "identity to it? Or does the kernel read in[i] at i >= n?" },
        { signs->found->changes_identity, CAUSE_ACCUMULATOR_START,
          "an accumulator does not begin with identity(), or values are not combined by "
          "combine()" },
        { true },
    };
    return choose_row(rows);
}

/* All elements, or those of the tail, count once for each work-item or group. */
static struct diagnosis blame_publishing(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const uint64_t group_size = found->group_size, groups = found->groups, times = signs->times;
    const bool is_tail = signs->first.to == found->n && signs->first.from > 0;
    const struct cause_row rows[] = {
        { groups > 1 && (times == groups * group_size || (times == groups && is_tail)),
          CAUSE_READ_BY_ALL,
          "every work-item, or every group, reads these elements: which one of them should?" },
        { signs->is_everything && times == group_size, CAUSE_ALL_PUBLISH,
          "every work-item of a group publishes the group's value: one is enough, if (id == 0)" },
        { signs->is_everything && signs->is_repeated, CAUSE_COMBINED_AGAIN,
          "each element is combined %zu times: do several work-items publish their group's value, "
          "or read the same elements?",
          times },
        { true },
    };
    return choose_row(rows);
}

/* No place is known, or none tells. */
static struct diagnosis blame_values(const struct signs *signs)
{
    const struct evidence *found = signs->found;
    const bool is_right = !found->is_wrong;
    const struct cause_row rows[] = {
        { is_right && !signs->operation->is_commutative, CAUSE_ORDER,
          "the order: is a left operand on the right somewhere?" },
        { is_right && signs->operation->has_index, CAUSE_INDEX,
          "the index: load(in, i) stores the i that it is given, and of equal elements the first "
          "one must win; 0 equals -0, and a NaN never wins" },
        { is_right && found->is_wrong_with_nan, CAUSE_NAN,
          "NaN: a comparison with it is false, so x < all ? x : all skips it, but "
          "all < x ? all : x keeps it; the result must skip every NaN" },
        { signs->changes, CAUSE_OPERATOR,
          "the operator: does the kernel use something other than load() and combine()?" },
        { is_right, CAUSE_OPERATOR,
          "the operator: does the kernel use something other than load() and combine()? Or, if the "
          "operator is yours: is combine() associative, and is IDENTITY neutral?" },
        { found->operation == signs->operation && found->operation->has_extreme, CAUSE_OPERATOR,
          "the lost elements follow no pattern of places: does the comparison use all bits of both "
          "values?" },
        { signs->loses && signs->repeats, CAUSE_ELEMENTS_EXCHANGED,
          "some elements are lost, others count twice: a work-item or group reads another's "
          "elements, or a barrier is missing" },
        { true, CAUSE_UNKNOWN,
          "several mistakes look like this: make picture STEP=… KERNEL=… draws which work-item "
          "reads which element" },
    };
    return choose_row(rows);
}

struct diagnosis find_cause(const struct evidence *found, const struct operation *operation)
{
    static struct diagnosis (*const families[])(const struct signs *signs) = {
        // what an experiment showed
        blame_words, blame_group_size, blame_local_memory, blame_global_memory,
        // how the elements count as a whole
        blame_lost_result, blame_start, blame_publishing,
        // which elements count, and how often
        blame_path, blame_parts, blame_pattern, blame_end,
        // nothing else
        blame_values
    };
    const struct signs signs = read_signs(found, operation);
    struct diagnosis diagnosis = { CAUSE_UNKNOWN };
    for (size_t i = 0; !diagnosis.sentence && i < sizeof families / sizeof *families; i++)
        diagnosis = families[i](&signs);
    return diagnosis;
}
