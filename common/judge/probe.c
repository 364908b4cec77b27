/* Which elements a wrong reduction loses, and which it counts twice.
 *
 *   elements     r0 r1 r2 … r(b-1) 0  0  0 … 0      the first b random words, then zeros
 *   got(b)       w0 r0 + w1 r1 + … + w(b-1) r(b-1)  w: how often each element counts
 *
 * For two lengths a < b, got(b) - got(a) is t times what it should be if each element in between
 * counts t times; by chance that happens once in 2^32 / t times. So halving what does not fit finds
 * the w of every element, in as many reductions as there are borders between different w, times
 * log n.
 *
 * First the operator itself combines identities alone. Then everything is tried as a sum of
 * unsigned words, whatever the operator: what a kernel does with its indices does not depend on it,
 * and in a sum every element shows. What else may come into the result (elements beyond n, what
 * stood in out or in local memory before) is 0 all the while, and then 1, one after the other: the
 * result counts it.
 */
#include "probe.h"

#include "operations.h"
#include "verify.h"
#include <math.h>
#include <string.h>

static const any_value zero, one = { .words = { 1 } };

/* Reduces what stands in the input, with these values everywhere else. */
static any_value reduced(const struct reduction *reduction, any_value arrays, any_value local)
{
    any_value result;
    fill_memory(reduction, &arrays, &local);
    run_once(reduction, reduction->device->queue, &result);
    return result;
}

/* The input from an element on, and what lies beyond n: all of it one value. */
static void fill_input(const struct reduction *reduction, uint64_t from, any_value with)
{
    const size_t bytes = reduction->problem.operation->element_bytes;
    CL(clEnqueueFillBuffer(
        reduction->device->queue, reduction->elements.buffer, &with, bytes, from * bytes,
        (reduction->elements.count + GUARD_ELEMENTS - from) * bytes, 0, NULL, NULL));
}

/* The sum of the first `at` elements, as it comes out and as it should. */
struct sums {
    uint64_t at;
    uint32_t got, expected;
};

static struct sums sums_of_first(struct reduction *reduction, uint64_t at)
{
    make_data(reduction, (struct data) { .n = at, .seed = 1, .planted = (uint64_t)NOWHERE });
    fill_input(reduction, at, zero);
    return (struct sums) { at, reduced(reduction, zero, zero).words[0],
                           reduction->expected.words[0] };
}

/* Elements a.at … b.at - 1: all alike, or halved. Where there is no more room, or time, what is
 * still open on the way up needs its places. */
static void search(struct reduction *reduction, struct sums a, struct sums b, double deadline,
                   struct evidence *found)
{
    enum { MOST = 1 << 16, ON_THE_WAY = 70 };
    const uint32_t got = b.got - a.got, expected = b.expected - a.expected;
    const bool single = b.at - a.at == 1;
    struct range *last = found->range_count > 0 ? &found->ranges[found->range_count - 1] : NULL;
    int times = 0;
    while (times < MOST && (uint32_t)times * expected != got)
        times++;
    if (times == MOST && !single && found->range_count < RANGES_MAX - ON_THE_WAY &&
        now() < deadline) {
        struct sums middle = sums_of_first(reduction, a.at + (b.at - a.at) / 2);
        search(reduction, a, middle, deadline, found);
        search(reduction, middle, b, deadline, found);
        return;
    }
    if (times == MOST)
        times = single ? COUNT_IS_NONE : COUNT_IS_MIXED;
    if (last && last->to == a.at && last->count == times)
        last->to = b.at;
    else if (times != 1)
        found->ranges[found->range_count++] = (struct range) { a.at, b.at, times };
}

/* How often elements count, written in a row, often repeats:
 *
 *   w      1 0 0 0 1 0 0 0 1 0 0 0 …      period 4, of which 1 counts: the first
 *
 * 0: there is none, or nothing but one value. */
static uint64_t period_of(const int *times, uint64_t count)
{
    uint64_t period = 1;
    while (period <= count / 2 &&
           memcmp(times, times + period, (count - period) * sizeof *times) != 0)
        period++;
    return period > 1 && period <= count / 2 ? period : 0;
}

static void find_pattern(struct evidence *found)
{
    enum { KNOWN = 8192 }; // elements that are looked at
    static int times[KNOWN];
    const uint64_t own = found->group_size * found->width;
    uint64_t known = found->n < KNOWN ? found->n : KNOWN;
    for (int i = 0; i < KNOWN; i++)
        times[i] = 1;
    for (const struct range *part = found->ranges; part < found->ranges + found->range_count;
         part++) {
        for (uint64_t i = part->from; i < part->to && i < known; i++) {
            times[i] = part->count;
            if (part->count < 0)
                known = i;
        }
    }
    // within the first group's elements, as a later stage may lose others; else within half
    found->period = period_of(times, own < known ? own : known);
    if (!found->period)
        found->period = period_of(times, known / 2);
    for (uint64_t i = 0; i < found->period; i++)
        found->counted += times[i] > 0;
}

/* What a few reductions show; if something is wrong, element by element, for 0.6 s and half a
 * second more for each million, a minute at most. */
static void weigh(struct reduction *reduction, struct evidence *found)
{
    const uint64_t n = found->n, half = n / 2;
    const size_t bytes = reduction->problem.operation->element_bytes;
    const struct sums none = sums_of_first(reduction, 0), front = sums_of_first(reduction, half),
                      all = sums_of_first(reduction, n);
    const double until = now() + 0.1;
    for (int i = 0; i < 2 || (i < 10 && now() < until); i++)
        found->varies |= reduced(reduction, zero, zero).words[0] != all.got;
    CL(clEnqueueFillBuffer(reduction->device->queue, reduction->elements.buffer, &zero, bytes, 0,
                           half * bytes, 0, NULL, NULL));
    found->is_no_sum = reduced(reduction, zero, zero).words[0] - none.got != all.got - front.got;
    fill_input(reduction, 0, zero);
    found->stale = reduced(reduction, one, zero).words[0] - none.got;
    found->scratch = reduced(reduction, zero, one).words[0] - none.got;
    fill_input(reduction, n, one);
    found->beyond = reduced(reduction, zero, zero).words[0] - none.got;
    found->is_wrong |=
        found->varies || found->stale || found->scratch || found->beyond || all.got != all.expected;
    if (found->is_wrong && !found->varies)
        search(reduction, none, all, now() + fmin(0.6 + 5e-7 * (double)n, 60), found);
    find_pattern(found);
}

static void note_geometry(const struct reduction *reduction, struct evidence *found)
{
    const struct stage *first = &reduction->stages[reduction->first_launch];
    const uint64_t n = found->n = reduction->elements.count;
    const uint64_t groups = found->groups = first->kind == STAGE_LAUNCH ? first->groups : 1;
    const uint64_t w = found->group_size = first->kind == STAGE_LAUNCH ? first->group_size : 1;
    found->operation = reduction->problem.operation;
    found->lanes = reduction->lanes;
    found->width = (uint64_t)reduction->width;
    found->tile = found->width * found->lanes;
    found->block = ceil_div(n, groups * w);
    found->has_group_each = groups == n / w || groups == ceil_div(n, w);
    found->finishes_in_launch = reduction->has_counter;
}

/* Looks at what the reduction makes of identities alone and, if it is a sum of words, of each
 * element. False: it cannot be planned. */
static bool look(struct device *device, const struct problem *problem, struct evidence *found)
{
    static struct reduction reduction; // too large for the stack
    const struct operation *operation = problem->operation;
    memset(found, 0, sizeof *found);
    if (!plan_reduction(&reduction, device, problem))
        return false;
    note_geometry(&reduction, found);
    fill_input(&reduction, 0, *operation->identity);
    found->of_identities = reduced(&reduction, *operation->identity, *operation->identity);
    found->changes_identity = found->is_wrong =
        memcmp(&found->of_identities, operation->identity, operation->value_bytes) != 0;
    if (operation->adds && !operation->floating)
        weigh(&reduction, found);
    release_reduction(&reduction);
    return true;
}

bool find_evidence(struct device *device, const struct problem *problem, struct evidence *found)
{
    static struct evidence elsewhere; // too large for the stack
    const struct operation *operation = problem->operation;
    struct problem tried = *problem;
    tried.force = true;
    tried.on_build_failure = BUILD_FAILURE_IS_SILENT; // it need not compile as a sum
    // If elements are not values, as for argmin, no element is an identity.
    if ((operation->has_extreme || operation->floating) &&
        operation->element_bytes == operation->value_bytes && look(device, &tried, found) &&
        found->changes_identity)
        return true;
    // A sum of the same type, if its values are whole words: a learner's kernel may be written for
    // one type.
    tried.operation = find_operation("sum", !operation->floating            ? operation->type
                                            : operation->element_bytes == 8 ? "ulong"
                                                                            : "uint");
    if (!look(device, &tried, found))
        return false;
    // A few elements tell little. If several for each work-item, and a tail, are wrong too, they
    // tell more.
    const uint64_t group_size = found->group_size, each = group_size * found->width,
                   groups = found->groups;
    tried.n = (each * (groups > 2 ? 2 * groups : 4) + group_size / 2 + 3) | 1;
    if (tried.n > problem->n && each <= 4096 && look(device, &tried, &elsewhere) &&
        elsewhere.is_wrong)
        *found = elsewhere;
    tried.n = found->n;
    const uint64_t power = UINT64_C(1) << (ceil_log2(group_size + 1) - 1); // not above group_size
    if (problem->geometry.group_size && power != group_size && !found->varies &&
        (found->range_count > 1 || found->scratch)) {
        tried.geometry.group_size = power;
        found->is_right_in_powers_of_two = !look(device, &tried, &elsewhere) || !elsewhere.is_wrong;
    }
    return true;
}
