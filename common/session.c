/* Every plan of a call is made here, so that it is known what any of them asked for, and who
 * watches knows what is run. A trial plants the extreme in turn wherever one is lost easily; then
 * comes what has none.
 *
 *   places      0 … group - 1, group … tail - 1, tail … n - 1, and two that the seed chooses
 *   one side    no accumulator may begin with 0, no sign be lost
 *   nothing     NaN alone, or the identity alone: it must come out
 *   special     where n is small
 */
#include "session.h"

#include "buffer.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 8, SPECIALS = 7, INPUTS = PLACES + 2 + SPECIALS }; // 2: ONE_SIDE, ALL_NOTHING

int session_geometries(const struct session *session)
{
    const struct numbers *groups = &session->options->group, *widths = &session->options->width;
    return (groups->count ? groups->count : 1) * (widths->count ? widths->count : 1);
}

struct geometry session_geometry(const struct session *session, int number)
{
    const struct options *options = session->options; // values that are not given are 0
    const int widths = options->width.count ? options->width.count : 1;
    return (struct geometry) { .group = options->group.value[number / widths],
                               .groups = options->groups.value[0],
                               .force = options->force,
                               .width = (int)options->width.value[number % widths] };
}

void session_release(struct session *session)
{
    struct run *run = &session->run;
    if (!run->elements.buffer)
        return;
    plan_release(run);
    CL(clReleaseMemObject(run->elements.buffer));
}

bool session_plan(struct session *session, const struct trial *trial)
{
    const uint64_t n = trial->n ? trial->n : 1,
                   bytes = (n + GUARD) * trial->operation->element_bytes;
    session_release(session);
    session->run =
        (struct run) { .device = &session->device,
                       .operation = trial->operation,
                       .variant = trial->variant,
                       .elements = { buffer_create(&session->device, bytes, "the input"), n },
                       .other_kernel = session->kernel[0] ? session->kernel : NULL,
                       .back_end = session->back_end,
                       .given = trial->geometry };
    at_work->trial = *trial;
    at_work->since = now(); // to plan is to compile: even that may crash
    const bool planned = plan_make(&session->run);
    at_work->since = 0;
    session->planned |= planned;
    session->asked |= session->run.asked;
    return planned;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int sorted_set(uint64_t *numbers, int count, uint64_t least, uint64_t most)
{
    int kept = 0;
    qsort(numbers, count, sizeof *numbers, ascending);
    for (int i = 0; i < count; i++)
        if (numbers[i] >= least && numbers[i] <= most &&
            (kept == 0 || numbers[kept - 1] != numbers[i]))
            numbers[kept++] = numbers[i];
    return kept;
}

/* The inputs of a trial, in the order in which they are tried; returns how many. */
static int inputs_of(const struct session *session, const struct trial *trial, struct data *inputs)
{
    const struct operation *operation = trial->operation;
    const bool extreme = operation->has_extreme,
               nan = extreme && operation->floating && !trial->variant->drops_no_nan,
               one_side = extreme && !operation->has_index && operation->type[0] != 'u';
    const uint64_t n = trial->n, w = trial->geometry.group ? trial->geometry.group : 256,
                   tail = n / w * w;
    const uint32_t seed = (uint32_t)session->options->seed.value[0];
    const uint64_t any = seed * UINT64_C(0x9e3779b97f4a7c15); // two places that --check varies
    uint64_t places[PLACES] = { 0, n - 1, w - 1, w, tail - 1, tail, any % n, (any >> 24) % n };
    const int planted = extreme ? sorted_set(places, PLACES, 0, n - 1) : 0;
    const bool small = n >= 64 && n < 1 << 13 && !session->step->operation;
    const uint64_t specials = !small ? 0 : !operation->floating ? 2 : extreme ? SPECIALS : 0;
    const uint64_t nowhere = (uint64_t)NOWHERE;
    int count = 0;
    if (!extreme)
        inputs[count++] = (struct data) { n, nowhere, PLAIN, seed };
    for (; count < planted; count++)
        inputs[count] = (struct data) { n, places[count], nan ? SOME_NAN : PLAIN, seed };
    if (nan || (extreme && !operation->floating))
        inputs[count++] = (struct data) { n, nowhere, ALL_NOTHING, seed };
    if (one_side && n < 1 << 21)
        inputs[count++] = (struct data) { n, places[planted - 1], ONE_SIDE, seed };
    for (uint64_t k = 0; k < specials; k++) // the first 0 has another sign at another n
        inputs[count++] = (struct data) { n, nowhere, SPECIAL + k, seed + (uint32_t)n };
    // After exact ones: the bound alone lets a lost element pass at large n.
    if (session->options->uniform)
        inputs[count++] = (struct data) { n, nowhere, PLAIN, seed, .uniform = true };
    return count;
}

/* Behind what was wrong: in which groups, and on what. */
static void say_where(struct run *run)
{
    const struct data *data = &run->data;
    const struct stage *first = first_launch(run);
    if (first->kernel)
        wrong(run, " (groups: %" PRIu64 " of %zu)", first->groups, first->group);
    if (data->kind == ALL_NOTHING)
        wrong(run, " (all elements are %s)", run->operation->floating ? "NaN" : "the identity");
    if (data->kind == SOME_NAN)
        wrong(run, " (some elements are NaN)");
    if (data->kind == ONE_SIDE)
        wrong(run, " (all elements are on the losing side of 0)");
    if (data->kind >= SPECIAL)
        wrong(run, " (all elements are special, such as 0, -1, the ends of the range)");
    if (data->planted < data->n)
        wrong(run, " (the extreme is at %" PRIu64 ")", data->planted);
}

/* A wrong kernel may lose any element but the extreme, and be right under min. So with --op it is
 * tried as a sum too, which has no extreme, if it combines by combine(): a sum of two elements
 * tells. */
static int check_as_sum(struct session *session, struct trial sum)
{
    const char *op = sum.operation->op;
    struct kernels *kernels = session->device.kernels;
    const int before = kernels->if_broken;
    sum.operation = operation_find("sum", "uint");
    struct trial of_two = sum;
    of_two.n = 2;
    kernels->if_broken = HIDE_LOG; // it need not compile as a sum
    const bool lost =
        check_trial(session, &of_two) == 0 && check_trial(session, &sum) == EXIT_WRONG;
    kernels->if_broken = before;
    if (lost)
        wrong(&session->run, " (as a sum of uint: %s shows the extreme only)", op);
    return lost ? EXIT_WRONG : 0;
}

int check_trial(struct session *session, const struct trial *trial)
{
    const struct operation *operation = trial->operation;
    struct data inputs[INPUTS];
    const int count = inputs_of(session, trial, inputs);
    struct run *run = &session->run;
    int status = 0;
    if (!session_plan(session, trial))
        status = run->broken ? EXIT_BROKEN : EXIT_UNSUPPORTED;
    for (int i = 0; i < count && !status; i++) {
        input_make(run, inputs[i]);
        // Twice for the second, or the only one. In the first of many the extreme is element 0: a
        // kernel may find that in what an earlier run has left. In the last ones all elements may
        // be equal: what it writes into them does not show.
        const bool once = verified(run), twice = i == 1 || count == 1;
        if (!once || (twice && !verified_anew(run))) {
            if (once)
                wrong(run, " (not in the first run: in the one after it, on other data)");
            say_where(run);
            status = EXIT_WRONG;
        }
        if (operation == session->operations[0]) // not the sum as which it is tried, too
            session->pace = fmin(session->pace, run->wall / (double)trial->n);
    }
    if (!status && operation->has_extreme && session->options->op)
        status = check_as_sum(session, *trial);
    return status;
}
