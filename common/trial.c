/* The extreme is planted in turn wherever one is lost easily; then comes what has none.
 *
 *   places      0 … group - 1, group … n / 3 … tail - 1, tail … n - 1
 *   one side    all above or all below 0: no accumulator may begin there, no sign be lost
 *   nothing     NaN alone, or the identity alone: it must come out
 */
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 8, INPUTS = PLACES + 2, ALL_NOTHING = 1, ONE_SIDE = 2, SOME_NAN = 3 }; // data.nans

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

static bool nan_among(const struct trial *trial)
{
    return trial->operation->floating && trial->operation->has_extreme &&
           !trial->variant->drops_no_nan;
}

/* The inputs of a trial, in the order in which they are tried. */
static int inputs_of(const struct session *session, const struct trial *trial, struct data *inputs)
{
    const struct operation *operation = trial->operation;
    const bool extreme = operation->has_extreme, uniform = session->options->uniform;
    const uint64_t n = trial->n, w = trial->geometry.group ? trial->geometry.group : 256,
                   tail = n / w * w;
    const struct data plain = { .n = n,
                                .seed = (uint32_t)session->options->seed.value[0],
                                .planted = (uint64_t)NOWHERE };
    uint64_t places[PLACES] = { 0, n - 1, w - 1, w, tail - 1, tail, n / 3, n - n / 7 };
    int planted = sorted_set(places, PLACES, 0, n - 1), count = 0;
    for (int i = 0; extreme && i < planted; i++) {
        inputs[count] = plain;
        inputs[count].nans = nan_among(trial) ? SOME_NAN : 0;
        inputs[count++].planted = places[i];
    }
    if (!extreme)
        inputs[count++] = plain;
    if (extreme && !operation->has_index && operation->type[0] != 'u' && n < 1 << 21) {
        inputs[count] = plain;
        inputs[count++].nans = ONE_SIDE;
    }
    if (nan_among(trial) || (extreme && !operation->floating)) {
        inputs[count] = plain;
        inputs[count++].nans = ALL_NOTHING;
    } else if (uniform) { // exact ones before: the bound alone lets a lost element pass at large n
        inputs[count] = plain;
        inputs[count++].uniform = true;
    }
    return count;
}

#define ADD_WHY(...) snprintf(why + strlen(why), 400 - strlen(why), __VA_ARGS__)

/* Behind what was wrong: in which groups, in which run, and what the input was. */
static void add_circumstances(const struct run *run, const struct data *data, bool once,
                              char why[400])
{
    const struct operation *operation = run->operation;
    if (first_launch(run->plan))
        ADD_WHY(" (groups of %zu)", first_launch(run->plan)->group);
    if (once)
        ADD_WHY(" (not in the first run: in the one after it)");
    if (data->nans == ALL_NOTHING)
        ADD_WHY(" (all elements are %s)", operation->floating ? "NaN" : "the identity");
    else if (data->nans == ONE_SIDE)
        ADD_WHY(" (all elements are %s 0)", operation->greatest_wins ? "below" : "above");
    else if (operation->has_extreme)
        ADD_WHY(" (the extreme is at %" PRIu64 ")", data->planted);
}

/* All inputs in turn. What a launch leaves behind, and whether it writes into its input, is asked
 * for one of them: not the first, where the extreme could stand for it. */
static int check_inputs(struct session *session, const struct run *run, struct input *input,
                        const struct data *inputs, int count, double *wall, char why[400])
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            input_remake(input, &session->device, &session->kernels, run->operation, inputs[i]);
        bool once = verified(run, input, wall, why);
        bool right = once && (i != count / 2 || (verified(run, input, wall, why) &&
                                                 input_untouched(run, input, why)));
        if (!right) {
            add_circumstances(run, &inputs[i], once, why);
            return EXIT_WRONG;
        }
    }
    return 0;
}

int check_size(struct session *session, const struct trial *trial, double *wall, char why[400])
{
    const struct operation *operation = trial->operation;
    struct data inputs[INPUTS];
    const int count = inputs_of(session, trial, inputs);
    struct input input = input_make(&session->device, &session->kernels, operation, inputs[0]);
    struct run run;
    int status;
    if (session_plan(session, &run, trial, &input)) {
        status = check_inputs(session, &run, &input, inputs, count, wall, why);
    } else {
        snprintf(why, 400, "%s", run.plan->reason);
        status = run.plan->broken ? EXIT_BROKEN : EXIT_UNSUPPORTED;
    }
    plan_release(&run);
    input_release(&input);
    if (status || !operation->has_extreme || !session->options->op)
        return status;
    // An extreme says nothing of the elements that are none. What combine() combines, a sum shows
    // each of them: asked for where no sum is tried anyway. That of two is right only by combine().
    struct trial as_sum = *trial, of_two = *trial;
    char why_not[400];
    as_sum.operation = of_two.operation = operation_find("sum", "uint");
    of_two.n = 2;
    if (check_size(session, &of_two, wall, why_not) != 0)
        return 0;
    status = check_size(session, &as_sum, wall, why);
    if (status == EXIT_WRONG)
        ADD_WHY(" (as a sum of uint: %s shows the extreme only)", operation->op);
    return status == EXIT_WRONG ? status : 0;
}
