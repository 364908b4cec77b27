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
 * Everything is tried as a sum of unsigned words, whatever the operator: what a kernel does with
 * its indices does not depend on it, and in a sum every element shows. What else may come into the
 * result (elements beyond n, what stood in out or in local memory before) is 0 all the while, and
 * then 1, one after the other: the result counts it.
 */
#include "probe.h"

#include "buffer.h"
#include "operations.h"
#include "poison.h"
#include <string.h>

/* The sum of the first `at` elements, as it comes out and as it should. */
struct sums {
    uint64_t at;
    uint32_t got, expected;
};

/* A reduction under suspicion. */
struct probed {
    struct session *session;
    struct input input;
    struct run run;
    struct sums none, all;
    double deadline;
    struct evidence *found;
};

static bool open_probe(struct probed *probed, struct session *session, const struct trial *trial)
{
    const struct data data = { .n = trial->n, .seed = 1, .planted = (uint64_t)NOWHERE };
    struct trial forced = *trial;
    forced.geometry.force = true;
    *probed = (struct probed) { .session = session };
    probed->input = input_make(&session->device, &session->kernels, trial->operation, data);
    return session_plan(session, &probed->run, &forced, &probed->input);
}

static void close_probe(struct probed *probed)
{
    plan_release(&probed->run);
    input_release(&probed->input);
}

/* Reduces what stands in the input, with these values everywhere else; the lower 32 bits of what
 * comes out. */
static uint32_t reduced(const struct probed *probed, uint32_t in_arrays, uint32_t in_local)
{
    any_value arrays = { { 0 } }, local = { { 0 } }, result;
    uint32_t low;
    memcpy(&arrays, &in_arrays, sizeof in_arrays);
    memcpy(&local, &in_local, sizeof in_local);
    fill_arrays(&probed->run, &arrays);
    fill_local(&probed->run, &local);
    reduce_once(&probed->run, &result);
    memcpy(&low, &result, sizeof low);
    return low;
}

/* The input from an element on, and what lies beyond n: all of it one value. */
static void fill_input(const struct probed *probed, uint64_t from, const any_value *with)
{
    const size_t bytes = probed->run.operation->element_bytes;
    buffer_fill(probed->run.device, probed->input.elements.buffer, with, bytes, from * bytes,
                (probed->run.elements.count + GUARD - from) * bytes);
}

static struct sums sums_of_first(struct probed *probed, uint64_t at)
{
    struct sums sums = { .at = at };
    struct data data = probed->input.data;
    data.n = at;
    input_remake(&probed->input, probed->run.device, &probed->session->kernels,
                 probed->run.operation, data);
    fill_input(probed, at, &(any_value) { { 0 } });
    sums.got = reduced(probed, 0, 0);
    memcpy(&sums.expected, &probed->input.expected, sizeof sums.expected);
    return sums;
}

static void note(struct evidence *found, uint64_t from, uint64_t to, int64_t times)
{
    struct part *last = found->parts > 0 ? &found->part[found->parts - 1] : NULL;
    if (last && (last->times == times || found->parts == PARTS)) {
        last->times = last->times == times ? times : MIXED;
        last->to = to;
    } else {
        found->part[found->parts++] = (struct part) { from, to, times };
    }
}

/* Elements a.at … b.at - 1: all alike, or halved. */
static void search(struct probed *probed, struct sums a, struct sums b)
{
    const uint32_t got = b.got - a.got, expected = b.expected - a.expected, most = 1 << 16;
    uint32_t times = 1; // first what is right
    if (got != expected)
        for (times = 0; times < most && times * expected != got; times++)
            ;
    if (times < most) {
        note(probed->found, a.at, b.at, times);
    } else if (b.at - a.at == 1 || now() > probed->deadline || probed->found->parts >= PARTS - 1) {
        note(probed->found, a.at, b.at, MIXED);
    } else {
        struct sums middle = sums_of_first(probed, a.at + (b.at - a.at) / 2);
        search(probed, a, middle);
        search(probed, middle, b);
    }
}

/* The geometry of what is looked at. */
static void note_geometry(const struct run *run, struct evidence *found)
{
    const struct stage *first = first_launch(run->plan);
    for (int i = 0; i < run->plan->stage_count; i++)
        found->launches += run->plan->stages[i].kind == LAUNCH;
    found->n = run->elements.count;
    found->groups = first ? first->groups : 1;
    found->group = first ? first->group : 1;
    found->finishes = run->plan->counted.buffer != NULL;
    found->lanes = run->plan->lanes ? run->plan->lanes : 1;
    found->width = run->width;
}

/* Everything but the single elements: false if nothing of it is wrong. */
static bool look(struct probed *probed, struct evidence *found)
{
    any_value one = { { 1 } }; // little-endian, as all of this is
    char why[400];
    memset(found, 0, sizeof *found);
    probed->found = found;
    note_geometry(&probed->run, found);

    (void)reduced(probed, 0, 0);
    found->writes_input = !input_untouched(&probed->run, &probed->input, why);
    probed->none = sums_of_first(probed, 0);
    found->zeros = probed->none.got;
    found->stale = reduced(probed, 1, 0) - found->zeros;
    found->scratch = reduced(probed, 0, 1) - found->zeros;
    fill_input(probed, found->n, &one);
    found->beyond = reduced(probed, 0, 0) - found->zeros;
    probed->all = sums_of_first(probed, found->n);
    const double until = now() + 0.1;
    for (int i = 0; (i < 2 || (i < 10 && now() < until)) && !found->writes_input; i++)
        found->varies |= reduced(probed, 0, 0) != probed->all.got;
    found->nothing_wrong = !found->writes_input && !found->varies && !found->zeros &&
                           !found->stale && !found->scratch && !found->beyond &&
                           probed->all.got == probed->all.expected;
    return !found->nothing_wrong;
}

/* The same with another n, or another size of groups: false if it is right there, or cannot run. */
static bool wrong_at(struct session *session, struct trial trial, uint64_t n, size_t group)
{
    static struct evidence elsewhere; // large
    struct probed probed;
    trial.n = n;
    trial.geometry.group = group;
    bool wrong = open_probe(&probed, session, &trial) && look(&probed, &elsewhere);
    close_probe(&probed);
    return wrong;
}

/* Element by element, for 0.7 s and half a second more for each million, a minute at most; then
 * where else it is right. */
static void look_closer(struct probed *probed, const struct trial *trial, struct evidence *found)
{
    const size_t wanted = trial->geometry.group;
    const double allowed = 0.7 + 5e-7 * (double)found->n, most = 60;
    size_t power = 1;
    probed->deadline = now() + (allowed < most ? allowed : most);
    search(probed, probed->none, probed->all);
    while (power * 2 <= found->group)
        power *= 2;
    if (found->n % found->group) {
        uint64_t full = ceil_div(found->n, found->group) * found->group;
        found->right_when_full = !wrong_at(probed->session, *trial, full, wanted);
    }
    if (wanted && power != found->group && (found->parts > 3 || found->scratch))
        found->right_in_powers_of_two = !wrong_at(probed->session, *trial, found->n, power);
}

bool probe(struct session *session, const struct trial *trial, struct evidence *found)
{
    struct trial sum = *trial;
    struct probed probed;
    sum.operation = operation_find("sum", trial->operation->element_bytes == 8 ? "ulong" : "uint");
    bool planned = open_probe(&probed, session, &sum);
    if (planned)
        look(&probed, found);
    // A few elements say little: several for each work-item, and a tail, if that is wrong too.
    const uint64_t each = found->group * found->width;
    const uint64_t more =
        (each * (found->groups > 2 ? 2 * found->groups : 4) + found->group / 2 + 3) | 1;
    if (planned && sum.n < more && each <= 4096 &&
        wrong_at(session, sum, more, sum.geometry.group)) {
        close_probe(&probed);
        sum.n = more;
        planned = open_probe(&probed, session, &sum);
        look(&probed, found);
    }
    if (planned && !found->nothing_wrong && !found->varies && !found->writes_input)
        look_closer(&probed, &sum, found);
    close_probe(&probed);
    return planned;
}

bool probe_identity(struct session *session, const struct trial *trial, any_value *instead)
{
    const struct operation *operation = trial->operation;
    struct probed probed;
    const any_value *identity = operation->identity;
    bool same = true;
    if (open_probe(&probed, session, trial) && operation->element_bytes == operation->value_bytes) {
        fill_input(&probed, 0, identity);
        fill_arrays(&probed.run, identity);
        fill_local(&probed.run, identity);
        reduce_once(&probed.run, instead);
        same = memcmp(instead, identity, operation->element_bytes) == 0;
    }
    close_probe(&probed);
    return same;
}
