/* Which elements a wrong reduction loses, and which it counts twice.
 *
 *   elements     r0 r1 r2 … r(b-1) 0  0  0 … 0      the first b random words, then zeros
 *   got(b)       t0 r0 + t1 r1 + … + t(b-1) r(b-1)  t: how many times each element counts
 *
 * If every element between two lengths a < b counts t times, got(b) - got(a) is t times the
 * expected difference. By chance that happens only once in 2^32 / t times. A piece for which no t
 * fits is halved. So the number of reductions is that of the borders between different t, times log
 * n.
 *
 * First the operator itself combines identities alone. Then the kernel is tried as a sum of
 * unsigned words, whatever the operator: how a kernel computes its indices does not depend on the
 * operator, and a sum shows every element. Other values that might enter the result (elements
 * beyond n, the previous values in out and in local memory) are 0 during the search. Afterwards
 * each of them is set to 1 in turn, and the result counts them. */
#include "probe.h"

#include "examine.h"
#include "operations.h"
#include "verify.h"
#include "work.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const any_value zero;

/* A kernel may be written for floating-point numbers. Then the elements are whole numbers, and all
 * of them together are at most EXACT_MAX, so every sum is exact in a float, and becomes a word. */
enum { EXACT_MAX = 1 << 24, WEIGHT_MAX = 1 << 13, WEIGHTED_MAX = 1 << 20 };

/* A minimum or maximum is run once for each element. */
enum { PLANTED_MAX = 2000 };

/* Each work-item of a wrong kernel may read all elements. So the search for ranges ends after some
 * seconds, but not before 16 reductions; and a slow reduction is not tried with more elements. */
static const double search_seconds = 3, slow_seconds = 0.05;

static any_value make_value(const struct operation *operation, uint32_t number)
{
    any_value value = { .words = { number } };
    const float single = (float)number;
    const double twice = number;
    if (operation->is_floating && operation->value_bytes == sizeof twice)
        memcpy(&value, &twice, sizeof twice);
    else if (operation->is_floating)
        memcpy(&value, &single, sizeof single);
    return value;
}

/* A sum, modulo 2^32. A sum that is no whole number becomes a word that matches no count: not the
 * same word for all such sums, because then their elements would seem to be lost. */
static uint32_t read_word(const struct operation *operation, const any_value *value)
{
    const double number = operation->is_floating ? operation->show(value).number : 0;
    if (!operation->is_floating)
        return value->words[0];
    if (fabs(number) < 1e15 && number == floor(number))
        return (uint32_t)(int64_t)number;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (uint32_t)(bits * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Reduces the input as it is, with these values in out, in partial results and in local memory. */
static any_value reduce_with(struct reduction *reduction, any_value arrays, any_value local)
{
    any_value result;
    begin_work(&reduction->problem, reduction->device, RUNNING);
    fill_memory(reduction, &arrays, &local);
    run_once(reduction, reduction->device->queue, &result);
    end_work();
    return result;
}

static uint32_t sum_with(struct reduction *reduction, any_value arrays, any_value local)
{
    const any_value result = reduce_with(reduction, arrays, local);
    return read_word(reduction->problem.operation, &result);
}

/* Sets the input from one element on, and all elements beyond n, to one value. */
static void fill_input(const struct reduction *reduction, uint64_t from, any_value element)
{
    const size_t bytes = reduction->problem.operation->element_bytes;
    const uint64_t end = reduction->elements.count + reduction->device->guard_elements;
    if (from < end) // false after the last element if there is no guard
        CL(clEnqueueFillBuffer(reduction->device->queue, reduction->elements.buffer, &element,
                               bytes, from * bytes, (end - from) * bytes, 0, NULL, NULL));
}

/* The sum of the first `at` elements. */
struct sums {
    uint64_t at;
    uint32_t got, expected;
};

static struct sums sum_first(struct reduction *reduction, uint64_t at, uint32_t seed)
{
    const struct operation *operation = reduction->problem.operation;
    struct sums sums = { .at = at };
    make_data(reduction,
              (struct data) { .n = at, .seed = seed, .planted = (uint64_t)DATA_UNPLANTED });
    if (operation->is_floating) {
        const size_t bytes = operation->element_bytes;
        const uint64_t n = reduction->elements.count,
                       most = n < EXACT_MAX / WEIGHT_MAX ? WEIGHT_MAX : EXACT_MAX / n;
        unsigned char *weights = allocate(n * bytes);
        for (uint64_t i = 0; i < at; i++) {
            const uint32_t weight = 1 + (uint32_t)((i + seed) * 2654435761u >> 7) % (uint32_t)most;
            const any_value element = make_value(operation, weight);
            memcpy(weights + i * bytes, &element, bytes);
            sums.expected += weight;
        }
        if (at > 0)
            CL(clEnqueueWriteBuffer(reduction->device->queue, reduction->elements.buffer, CL_TRUE,
                                    0, at * bytes, weights, 0, NULL, NULL));
        free(weights);
    } else {
        sums.expected = reduction->input.expected.words[0];
    }
    fill_input(reduction, at, zero);
    sums.got = sum_with(reduction, zero, zero);
    return sums;
}

/* Appends a range, or lengthens the last one if it ends here and counts equally often. */
static void add_range(struct evidence *found, struct range range)
{
    struct range *next = &found->ranges[found->range_count], *last = next - 1;
    if (found->range_count > 0 && last->to == range.from && last->effect == range.effect &&
        last->count == range.count) {
        last->to = range.to;
    } else {
        *next = range;
        found->range_count++;
    }
}

/* Finds the ranges of the elements first.at … second.at - 1: they are one range, or each half is
 * searched. Stops halving when `ranges` is nearly full or when no reductions are left. Each half
 * that is still open may then need one range, so OPEN_HALVES_MAX ranges are kept free. */
static void find_ranges(struct reduction *reduction, struct sums first, struct sums second,
                        uint64_t *reductions, struct evidence *found)
{
    enum { OPEN_HALVES_MAX = 70, TIMES_MAX = 1024, MOST_TIMES = 1 << 20 };
    const uint32_t got = second.got - first.got, expected = second.expected - first.expected;
    const bool is_single = second.at - first.at == 1;
    // A higher limit finds more false matches. A kernel may read an element once in each work-item
    // and publish it twice. Only element 0 is often read in every iteration.
    uint64_t times_max = 2 * found->groups * found->group_size, times = 0;
    if (times_max < TIMES_MAX)
        times_max = TIMES_MAX;
    if (times_max > MOST_TIMES || (is_single && first.at == 0))
        times_max = MOST_TIMES;
    while (times < times_max && (uint32_t)times * expected != got)
        times++;
    if (times == times_max && !is_single && *reductions != 0 &&
        found->range_count < RANGES_MAX - OPEN_HALVES_MAX) {
        --*reductions;
        struct sums middle = sum_first(reduction, first.at + (second.at - first.at) / 2, 1);
        find_ranges(reduction, first, middle, reductions, found);
        find_ranges(reduction, middle, second, reductions, found);
        return;
    }
    const enum range_effect effect = times < times_max ? RANGE_COUNTED
                                     : is_single       ? RANGE_CHANGED
                                                       : RANGE_MIXED;
    const int count = effect == RANGE_COUNTED ? (int)times : 1;
    if (effect != RANGE_COUNTED || count != 1)
        add_range(found, (struct range) { first.at, second.at, effect, count });
}

/* The number of elements after which `times` repeats, or 0 if it does not repeat or is constant:
 *
 *   times     1 0 0 0 1 0 0 0 1 0 0 0 …      period 4; one element of a period counts, the first */
static uint64_t find_period(const int *times, uint64_t count)
{
    uint64_t period = 1;
    while (period <= count / 2 &&
           memcmp(times, times + period, (count - period) * sizeof *times) != 0)
        period++;
    return period > 1 && period <= count / 2 ? period : 0;
}

static void find_pattern(struct evidence *found)
{
    enum { LOOKED_AT_MAX = 1 << 16 }; // elements
    static int times[LOOKED_AT_MAX];
    const uint64_t first_group = found->group_size * found->width; // elements of its first load
    uint64_t count = found->n < LOOKED_AT_MAX ? found->n : LOOKED_AT_MAX;
    for (int i = 0; i < LOOKED_AT_MAX; i++)
        times[i] = 1;
    for (const struct range *range = found->ranges; range < found->ranges + found->range_count;
         range++) {
        for (uint64_t i = range->from; i < range->to && i < count; i++) {
            times[i] = range->count;
            if (range->effect != RANGE_COUNTED)
                count = i; // the elements from here on are not known
        }
    }
    // A later stage may lose further elements, and each block begins anew. So the period is that of
    // the first group alone, or else of the first block, of the first half, or of all.
    const uint64_t lengths[] = { first_group, found->block, count / 2,
                                 count == found->n ? count : 0 };
    for (int i = 0; i < 4 && !found->period; i++)
        found->period = find_period(times, lengths[i] < count ? lengths[i] : count);
    for (uint64_t i = 0; i < found->period; i++)
        found->counted += times[i] > 0;
    found->repeats_to = found->period;
    while (found->period && found->repeats_to < count &&
           times[found->repeats_to] == times[found->repeats_to - found->period])
        found->repeats_to++;
}

/* Do the sums of two pieces add up to the sum of all, if `none` is the sum of no elements? Those of
 * a kernel that is written for minima may do so by chance. So three sets of data are tried, each
 * cut elsewhere, but only one if a reduction takes long. No cut is even: an even one may lie
 * between the blocks of two work-items, each of which then combines elements of one piece only. */
static bool adds_up(struct reduction *reduction, uint32_t none, double seconds)
{
    const uint64_t n = reduction->elements.count;
    const size_t bytes = reduction->problem.operation->element_bytes;
    const uint32_t seeds = seconds < slow_seconds ? 3 : 1;
    bool adds_up = true;
    for (uint32_t seed = 1; seed <= seeds && adds_up; seed++) {
        const uint64_t cut = ceil_div(n, 1 << seed) | 1;
        const uint32_t front = sum_first(reduction, cut, seed).got,
                       all = sum_first(reduction, n, seed).got;
        CL(clEnqueueFillBuffer(reduction->device->queue, reduction->elements.buffer, &zero, bytes,
                               0, cut * bytes, 0, NULL, NULL));
        adds_up = sum_with(reduction, zero, zero) - none == all - front;
    }
    return adds_up;
}

/* Makes a few experiments. If one of them is wrong, finds out how often each element counts. */
static void count_each_element(struct reduction *reduction, struct evidence *found)
{
    const uint64_t n = found->n;
    const struct sums none = sum_first(reduction, 0, 1), all = sum_first(reduction, n, 1);
    const any_value one = make_value(reduction->problem.operation, 1);
    const double begin = now();
    found->seconds = INFINITY;
    for (int i = 0; i < 3 || (i < 10 && now() < begin + 0.1); i++) {
        const double start = now();
        found->varies |= sum_with(reduction, zero, zero) != all.got;
        found->seconds = fmin(found->seconds, now() - start);
    }
    found->is_no_sum = !adds_up(reduction, none.got, found->seconds);
    fill_input(reduction, 0, zero);
    found->times_from_out = sum_with(reduction, one, zero) - none.got;
    found->times_from_local = sum_with(reduction, zero, one) - none.got;
    fill_input(reduction, n, one);
    found->times_beyond_n = sum_with(reduction, zero, zero) - none.got;
    found->is_wrong |= found->varies || found->times_from_out || found->times_from_local ||
                       found->times_beyond_n || all.got != all.expected;
    // Enough for the ends of a few ranges; for many ranges only if a reduction takes little time.
    uint64_t reductions = 64 + (UINT64_C(1) << 25) / n;
    const double affordable = 16 + search_seconds / found->seconds;
    reductions = (double)reductions < affordable ? reductions : (uint64_t)affordable;
    if (found->is_wrong && !found->varies)
        find_ranges(reduction, none, all, &reductions, found);
    find_pattern(found);
}

/* Plants the extreme at each element in turn. Where the result is another one, the kernel loses
 * the element. */
static void find_lost_extremes(struct reduction *reduction, struct evidence *found)
{
    any_value result;
    for (uint64_t i = 0; i < found->n && found->range_count < RANGES_MAX; i++) {
        make_data(reduction, (struct data) { .n = found->n, .planted = i, .seed = 1 });
        result = reduce_with(reduction, *reduction->problem.operation->identity,
                             *reduction->problem.operation->identity);
        if (value_is_right(reduction, &result))
            continue;
        found->is_wrong = true;
        add_range(found, (struct range) { i, i + 1, RANGE_COUNTED, 0 });
    }
    find_pattern(found);
}

static void note_geometry(const struct reduction *reduction, struct evidence *found)
{
    const struct stage *first = &reduction->stages[reduction->first_launch];
    const bool is_launch = first->action == STAGE_LAUNCH;
    const uint64_t n = reduction->elements.count, groups = is_launch ? first->groups : 1,
                   group_size = is_launch ? first->group_size : 1;
    found->n = n;
    found->groups = groups;
    found->group_size = group_size;
    found->operation = reduction->problem.operation;
    found->lanes = reduction->lanes;
    found->width = (uint64_t)reduction->width;
    found->row = found->width * found->lanes;
    found->block = ceil_div(n, groups * group_size);
    found->has_group_each = groups == n / group_size || groups == ceil_div(n, group_size);
    found->finishes_in_launch = reduction->has_counter;
    found->has_sub_groups = reduction->problem.variant->needs & NEEDS_SUB_GROUPS;
}

/* The largest n, an odd one, with which counting takes little time and the sums are exact. */
static uint64_t find_largest_n(const struct operation *operation)
{
    return operation->has_extreme   ? PLANTED_MAX - 1
           : operation->is_floating ? WEIGHTED_MAX - 1
                                    : UINT64_MAX;
}

/* Reduces identities alone and, if it `counts`, finds out how often each element counts. False: the
 * problem cannot be planned. */
static bool gather_evidence(struct device *device, const struct problem *problem, bool counts,
                            struct evidence *found)
{
    struct reduction reduction = { 0 };
    const struct operation *operation = problem->operation;
    const uint64_t bytes = (problem->n + device->guard_elements) * operation->element_bytes;
    memset(found, 0, sizeof *found);
    if (bytes > device->buffer_bytes || (counts && problem->n > find_largest_n(operation)))
        return false; // there is no room, or counting would take too long
    begin_work(problem, device, PLANNING);
    const bool is_ready = plan_reduction(&reduction, device, problem);
    end_work();
    if (!is_ready || !takes_operation(&reduction))
        return false;
    note_geometry(&reduction, found);
    fill_input(&reduction, 0, *operation->identity);
    found->of_identities = reduce_with(&reduction, *operation->identity, *operation->identity);
    found->changes_identity = found->is_wrong =
        memcmp(&found->of_identities, operation->identity, operation->value_bytes) != 0;
    if (counts && operation->adds)
        count_each_element(&reduction, found);
    else if (counts && operation->has_extreme)
        find_lost_extremes(&reduction, found);
    release_reduction(&reduction);
    return true;
}

static bool loses_all(const struct evidence *found)
{
    const struct range *first = &found->ranges[0];
    return found->range_count == 1 && first->to - first->from == found->n && first->count == 0;
}

/* A few elements show little. If the same problem is wrong with more elements, these are the
 * evidence. */
static void try_more_elements(struct device *device, struct problem problem, uint64_t n,
                              struct evidence *found)
{
    struct evidence other;
    problem.n = n;
    if (found->seconds < slow_seconds && gather_evidence(device, &problem, true, &other) &&
        other.is_wrong)
        *found = other;
}

/* Is the problem right in groups of another size, if there are as many groups? With as many
 * elements in the last group; and with 3 more, because only this n may have a tail after the last
 * vector. */
static bool is_right_in_groups_of(struct device *device, struct problem problem, uint64_t size,
                                  const struct evidence *found)
{
    struct evidence other;
    const uint64_t group_size = found->group_size;
    bool is_right = problem.geometry.group_size && group_size != size && found->is_wrong &&
                    !found->varies && found->seconds <= slow_seconds;
    problem.geometry.group_size = size;
    for (uint64_t more = 0; more <= 3 && is_right; more += 3) {
        problem.n = found->n / group_size * size + found->n % group_size + more;
        is_right = gather_evidence(device, &problem, true, &other) && !other.is_wrong;
    }
    return is_right;
}

/* Counts with this operation. False: the problem cannot be planned with it. */
static bool try_operation(struct device *device, struct problem *tried,
                          const struct operation *operation, struct evidence *found)
{
    const uint64_t largest = find_largest_n(operation);
    tried->operation = operation;
    tried->n = tried->n < largest ? tried->n : largest - 2;
    if (!gather_evidence(device, tried, true, found))
        return false;
    // Several elements for each work-item, and a tail.
    const uint64_t each = found->group_size * found->width, groups = found->groups,
                   several = (each * (groups > 2 ? 2 * groups : 4) + found->group_size / 2 + 3) | 1,
                   more = several < largest ? several : largest;
    if (more > tried->n && each <= 4096)
        try_more_elements(device, *tried, more, found);
    // A kernel that reads whole blocks only loses everything of a small input.
    if (loses_all(found) && 64 * found->n < 1 << 20 && 64 * found->n < largest)
        try_more_elements(device, *tried, 64 * found->n, found);
    return true;
}

/* Tries the problem with its own operation. A minimum is tried with few elements only, so first in
 * few groups: then each work-item has several elements. */
static bool try_own_operation(struct device *device, struct problem *tried, struct evidence *found)
{
    struct problem few_groups = *tried;
    few_groups.geometry.groups = 3;
    if (tried->operation->has_extreme &&
        try_operation(device, &few_groups, tried->operation, found) && found->is_wrong) {
        *tried = few_groups;
        return true;
    }
    return try_operation(device, tried, tried->operation, found);
}

bool find_evidence(struct device *device, const struct problem *problem, struct evidence *found)
{
    const struct operation *operation = problem->operation;
    // Unlike those of argmin, which have an index as values.
    const bool elements_are_values = operation->element_bytes == operation->value_bytes;
    struct problem tried = *problem;
    tried.force = true;
    struct problem own = tried;
    struct evidence of_own;
    // Only if elements are values can an element be an identity.
    if ((operation->has_extreme || operation->is_floating) && elements_are_values &&
        gather_evidence(device, &tried, false, found) && found->changes_identity)
        return true;
    // A sum of words as long as the elements shows each of them. That of int is kept in uint.
    const struct operation *sum = find_operation("sum", !operation->is_floating ? operation->type
                                                        : operation->element_bytes == 8 ? "ulong"
                                                                                        : "uint");
    bool is_sum = try_operation(device, &tried, sum, found);
    if (operation != sum &&
        (found->is_no_sum || (operation->has_extreme && elements_are_values && loses_all(found))))
        is_sum = false;
    // The kernel may be written for its own operation only, or have a part of its own for it.
    if (operation != sum && elements_are_values && !(is_sum && found->is_wrong) &&
        try_own_operation(device, &own, &of_own)) {
        if (!is_sum || of_own.is_wrong) {
            *found = of_own;
            tried = own;
        }
    } else if (!is_sum) {
        return false;
    }
    const uint64_t power = UINT64_C(1) << (ceil_log2(found->group_size + 1) - 1);
    if (found->range_count > 1 && is_right_in_groups_of(device, tried, power, found))
        found->right_power_of_two = power;
    found->is_right_in_256 = is_right_in_groups_of(device, tried, 256, found);
    return true;
}

/* Is the original minimum or maximum wrong if the extreme is at this place? If so, the reduction
 * has the verdict. */
static bool loses_extreme(struct reduction *reduction, uint64_t place, uint32_t seed)
{
    const struct data planted = { reduction->elements.count, place, DATA_PLAIN, seed };
    begin_work(&reduction->problem, reduction->device, RUNNING);
    make_data(reduction, planted);
    const bool is_wrong = !verify_run(reduction, true) &&
                          verify_inputs(reduction, &planted, 1) == STATUS_WRONG; // notes the place
    end_work();
    return is_wrong;
}

/* An element that the sum loses may be lost to an operator of the kernel's own only, which keeps
 * the extreme. */
static bool loses_extreme_of_ranges(struct reduction *reduction, uint32_t seed,
                                    const struct evidence *found)
{
    enum { TRIED_MAX = 64 };
    bool loses = false;
    for (int i = 0; i < found->range_count && i < TRIED_MAX && !loses; i++)
        loses = (found->ranges[i].effect == RANGE_CHANGED || found->ranges[i].count == 0) &&
                loses_extreme(reduction, found->ranges[i].from, seed);
    return loses;
}

/* No sum shows which elements a kernel with an operator of its own loses. So each element becomes
 * the extreme, in the first few thousand runs of the judge, or elements at equal distances. */
static bool loses_any_extreme(struct reduction *reduction, uint32_t seed, double seconds)
{
    static uint64_t left = 1 << 13;
    static const double most_seconds = 10;
    const uint64_t n = reduction->elements.count;
    const double affordable = most_seconds / seconds;
    uint64_t count = n < left ? n : left;
    count = (double)count < affordable ? count : (uint64_t)affordable;
    bool loses = false;
    for (uint64_t i = 0; i < count && !loses; i++)
        loses = loses_extreme(reduction, i * n / count, seed);
    left -= count;
    return loses;
}

enum status verify_as_sum(struct reduction *reduction, uint32_t seed)
{
    static struct evidence found; // large
    struct device *device = reduction->device;
    const struct problem original = reduction->problem;
    const double wall = reduction->verdict.wall;
    struct problem sum = original;
    if (!original.operation->has_extreme)
        return STATUS_RIGHT;
    sum.operation = find_operation("sum", "uint");
    const enum status as_sum = verify_problem(reduction, device, &sum, seed);
    const enum mistake mistake = reduction->verdict.mistake;
    const bool is_wrong = as_sum == STATUS_WRONG, is_wrong_value = mistake == MISTAKE_VALUE,
               is_sum = as_sum == STATUS_RIGHT ||
                        (is_wrong && (!is_wrong_value ||
                                      adds_up(reduction, sum_first(reduction, 0, 1).got, 0))),
               has_evidence = is_wrong && is_wrong_value && is_sum &&
                              gather_evidence(device, &sum, true, &found);
    if ((is_wrong && !is_wrong_value) ||
        (has_evidence && (found.varies || found.times_from_out || found.times_from_local ||
                          found.times_beyond_n))) {
        note_mistake(reduction, mistake, " (as a sum of uint: %s shows the extreme only)",
                     original.operation->op);
        return STATUS_WRONG;
    }
    plan_reduction(reduction, device, &original);
    if ((has_evidence && loses_extreme_of_ranges(reduction, seed, &found)) ||
        (!is_sum && loses_any_extreme(reduction, seed, wall)))
        return STATUS_WRONG;
    reduction->verdict.wall = wall;
    return STATUS_RIGHT;
}
