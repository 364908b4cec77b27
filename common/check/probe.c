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

#include "buffer.h"
#include "operations.h"
#include <math.h>
#include <string.h>

static const any_value zero, one = { .words = { 1 } };

/* Reduces what stands in the input, with these values everywhere else. */
static any_value reduced(const struct run *run, any_value arrays, any_value local)
{
    any_value result;
    fill_memory(run, &arrays, &local);
    reduce_once(run, &result);
    return result;
}

/* The input from an element on, and what lies beyond n: all of it one value. */
static void fill_input(const struct run *run, uint64_t from, any_value with)
{
    const size_t bytes = run->operation->element_bytes;
    buffer_fill(run->device, run->elements.buffer, &with, bytes, from * bytes,
                (run->elements.count + GUARD - from) * bytes);
}

/* The sum of the first `at` elements, as it comes out and as it should. */
struct sums {
    uint64_t at;
    uint32_t got, expected;
};

static struct sums sums_of_first(struct run *run, uint64_t at)
{
    input_make(run, (struct data) { .n = at, .seed = 1, .planted = (uint64_t)NOWHERE });
    fill_input(run, at, zero);
    return (struct sums) { at, reduced(run, zero, zero).words[0], run->expected.words[0] };
}

/* Elements a.at … b.at - 1: all alike, or halved. Where there is no more room, or time, what is
 * still open on the way up needs its places. */
static void search(struct run *run, struct sums a, struct sums b, double deadline,
                   struct evidence *found)
{
    enum { MOST = 1 << 16, ON_THE_WAY = 70 };
    const uint32_t got = b.got - a.got, expected = b.expected - a.expected;
    const bool single = b.at - a.at == 1;
    struct part *last = found->parts > 0 ? &found->part[found->parts - 1] : NULL;
    int times = 0;
    while (times < MOST && (uint32_t)times * expected != got)
        times++;
    if (times == MOST && !single && found->parts < PARTS - ON_THE_WAY && now() < deadline) {
        struct sums middle = sums_of_first(run, a.at + (b.at - a.at) / 2);
        search(run, a, middle, deadline, found);
        search(run, middle, b, deadline, found);
        return;
    }
    if (times == MOST)
        times = single ? CHANGED : MIXED;
    if (last && last->to == a.at && last->times == times)
        last->to = b.at;
    else if (times != 1)
        found->part[found->parts++] = (struct part) { a.at, b.at, times };
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
    const uint64_t own = found->group * found->width;
    uint64_t known = found->n < KNOWN ? found->n : KNOWN;
    for (int i = 0; i < KNOWN; i++)
        times[i] = 1;
    for (const struct part *part = found->part; part < found->part + found->parts; part++) {
        for (uint64_t i = part->from; i < part->to && i < known; i++) {
            times[i] = part->times;
            if (part->times < 0)
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
static void weigh(struct run *run, struct evidence *found)
{
    const uint64_t n = found->n, half = n / 2;
    const size_t bytes = run->operation->element_bytes;
    const struct sums none = sums_of_first(run, 0), front = sums_of_first(run, half),
                      all = sums_of_first(run, n);
    const double until = now() + 0.1;
    for (int i = 0; i < 2 || (i < 10 && now() < until); i++)
        found->varies |= reduced(run, zero, zero).words[0] != all.got;
    buffer_fill(run->device, run->elements.buffer, &zero, bytes, 0, half * bytes);
    found->no_sum = reduced(run, zero, zero).words[0] - none.got != all.got - front.got;
    fill_input(run, 0, zero);
    found->stale = reduced(run, one, zero).words[0] - none.got;
    found->scratch = reduced(run, zero, one).words[0] - none.got;
    fill_input(run, n, one);
    found->beyond = reduced(run, zero, zero).words[0] - none.got;
    found->wrong |=
        found->varies || found->stale || found->scratch || found->beyond || all.got != all.expected;
    if (found->wrong && !found->varies)
        search(run, none, all, now() + fmin(0.6 + 5e-7 * (double)n, 60), found);
    find_pattern(found);
}

static void note_geometry(const struct run *run, struct evidence *found)
{
    const struct stage *first = first_launch(run);
    const uint64_t n = found->n = run->elements.count;
    const uint64_t groups = found->groups = first->kernel ? first->groups : 1;
    const uint64_t w = found->group = first->kernel ? first->group : 1;
    found->operation = run->operation;
    found->lanes = run->lanes;
    found->width = (uint64_t)run->width;
    found->tile = found->width * found->lanes;
    found->block = ceil_div(n, groups * w);
    found->one_each = groups == n / w || groups == ceil_div(n, w);
    found->finishes = has_counter(run);
}

/* At what it makes of identities alone, and, as a sum of words, of each element. False: it cannot
 * be planned so. */
static bool look(struct session *session, const struct trial *trial, struct evidence *found)
{
    const struct operation *operation = trial->operation;
    struct run *run = &session->run;
    memset(found, 0, sizeof *found);
    if (!session_plan(session, trial))
        return false;
    note_geometry(run, found);
    fill_input(run, 0, *operation->identity);
    found->nothing = reduced(run, *operation->identity, *operation->identity);
    found->no_identity = found->wrong =
        memcmp(&found->nothing, operation->identity, operation->value_bytes) != 0;
    if (operation->adds && !operation->floating)
        weigh(run, found);
    return true;
}

bool probe(struct session *session, const struct trial *trial, struct evidence *found)
{
    const struct operation *operation = trial->operation;
    static struct evidence elsewhere; // large
    struct trial as = *trial;
    as.geometry.force = true;
    // Where elements are no values, as under argmin, none is an identity.
    if ((operation->has_extreme || operation->floating) &&
        operation->element_bytes == operation->value_bytes && look(session, &as, found) &&
        found->no_identity)
        return true;
    // Of the same type, if that is of whole words: a learner's kernel may be written for one.
    as.operation = operation_find("sum", !operation->floating            ? operation->type
                                         : operation->element_bytes == 8 ? "ulong"
                                                                         : "uint");
    if (!look(session, &as, found))
        return false;
    // A few elements say little: several for each work-item, and a tail, if that is wrong too.
    const uint64_t w = found->group, each = w * found->width, groups = found->groups;
    as.n = (each * (groups > 2 ? 2 * groups : 4) + w / 2 + 3) | 1;
    if (as.n > trial->n && each <= 4096 && look(session, &as, &elsewhere) && elsewhere.wrong)
        *found = elsewhere;
    as.n = found->n;
    const uint64_t power = (uint64_t)1 << (ceil_log2(w + 1) - 1); // the one below, or w itself
    if (trial->geometry.group && power != w && !found->varies &&
        (found->parts > 1 || found->scratch)) {
        as.geometry.group = power;
        found->right_in_powers_of_two = !look(session, &as, &elsewhere) || !elsewhere.wrong;
    }
    return true;
}
