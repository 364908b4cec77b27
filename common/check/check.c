/* The check matrix. The full set of sizes x group sizes is tried with the first operator; each
 * other operator and type takes its turn with one group size: every pair of a variant with either
 * is met, without the full product.
 */
#include "session.h"

#include "diagnose.h"
#include "operations.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 8 };

struct tap {
    int tests, failures, ran, broken;    // broken: do not compile
    const struct operation *compiles;    // the first that does, or NULL
    char held[16384], first_reason[300]; // skips are held back until something has run: see skip()
    size_t held_length;
    const struct variant *diagnosed; // one failure of each variant is
};

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts, drops doubles and what is out of range; returns how many are left. */
static int sorted_set(uint64_t *numbers, int count, uint64_t least, uint64_t most)
{
    int kept = 0;
    qsort(numbers, count, sizeof *numbers, ascending);
    for (int i = 0; i < count; i++)
        if (numbers[i] >= least && numbers[i] <= most &&
            (kept == 0 || numbers[kept - 1] != numbers[i]))
            numbers[kept++] = numbers[i];
    return kept;
}

/* Sizes where reductions break: around one and two groups, powers of two, primes, one beyond 2^20;
 * fewer for brief. */
static int sizes_for(const struct options *options, size_t group, bool brief, uint64_t sizes[LIST])
{
    const uint64_t w = group;
    const uint64_t all[] = { 1,    2,    3,     w - 1, w,         w + 1,  2 * w + 1, 17,
                             4095, 4096, 10007, 10008, w * w + 1, 131072, 1048583 };
    const uint64_t few[] = { 1, 3, w + 1, 4096, 100003 };
    if (options->n.count > 0) {
        memcpy(sizes, options->n.value, sizeof options->n.value);
        return options->n.count;
    }
    memcpy(sizes, brief ? few : all, brief ? sizeof few : sizeof all);
    return sorted_set(sizes, brief ? sizeof few / sizeof *few : sizeof all / sizeof *all, 1,
                      1048583);
}

/* Where the extreme is planted: both ends, both sides of a group's and of the tail's boundary,
 * somewhere. */
static int places_for(const struct operation *operation, uint64_t n, size_t group, uint64_t *places)
{
    const uint64_t w = group, tail = n / w * w;
    const uint64_t all[PLACES] = { 0, n - 1, w - 1, w, tail - 1, tail, n / 3, n - n / 7 };
    if (!operation->has_extreme) {
        places[0] = (uint64_t)NOWHERE;
        return 1;
    }
    memcpy(places, all, sizeof all);
    return sorted_set(places, PLACES, 0, n - 1);
}

#define ADD_WHY(...) snprintf(why + strlen(why), 400 - strlen(why), __VA_ARGS__)

int check_size(struct session *session, const struct variant *variant,
               const struct operation *operation, struct geometry wanted, uint64_t n, double *wall,
               char why[400])
{
    uint64_t places[PLACES];
    const int planted = places_for(operation, n, wanted.group ? wanted.group : 256, places);
    const bool uniform = session->options->uniform, extreme = operation->has_extreme;
    const bool nans = operation->floating && extreme && !variant->drops_no_nan;
    struct data data = { .n = n,
                         .seed = (uint32_t)session->options->seed.value[0],
                         .nans = nans ? 3 : 0 };
    struct run run;

    // Then what is all on one side of 0, where no accumulator may begin and no sign be lost. And at
    // last nothing but NaNs, or the identity itself: it must come out. Or uniform floats, once
    // exact ones were right: their bound alone would let a lost element pass where n is large.
    const bool nothing = nans || (extreme && !operation->floating);
    const bool one_side =
        extreme && !operation->has_index && operation->type[0] != 'u' && n < 1 << 21;
    const int count = planted + one_side + (nothing || uniform);
    int status = 0;
    data.planted = places[0];
    struct input input = input_make(&session->device, &session->kernels, operation, data);
    if (!session_plan(session, &run, variant, operation, &input, wanted)) {
        snprintf(why, 400, "%s", run.plan->reason);
        status = run.plan->broken ? EXIT_BROKEN : EXIT_UNSUPPORTED;
    }
    for (int i = 0; !status && i < count; i++) {
        data.planted = i < planted ? places[i] : (uint64_t)NOWHERE;
        data.nans = i < planted ? data.nans : one_side && i == planted ? 2 : nothing;
        data.uniform = uniform && i > 0;
        if (i > 0)
            input_remake(&input, &session->device, &session->kernels, operation, data);
        // What a launch leaves behind, and whether it writes into its input, shows at one place:
        // not the first, where the extreme could stand for it.
        bool once = verified(&run, &input, wall, why);
        if (!once || (i == count / 2 && (!verified(&run, &input, wall, why) ||
                                         !input_untouched(&run, &input, why)))) {
            status = EXIT_WRONG;
            if (first_launch(run.plan))
                ADD_WHY(" (groups of %zu)", first_launch(run.plan)->group);
            if (once)
                ADD_WHY(" (not in the first run: in the one after it)");
            if (data.nans == 1)
                ADD_WHY(" (all elements are %s)", nans ? "NaN" : "the identity");
            else if (data.nans == 2)
                ADD_WHY(" (all elements are %s 0)", operation->greatest_wins ? "below" : "above");
            else if (extreme)
                ADD_WHY(" (the extreme is at %" PRIu64 ")", places[i]);
        }
    }
    plan_release(&run);
    input_release(&input);
    if (status || !extreme || !session->options->op)
        return status;
    // An extreme says nothing of the elements that are none. What combine() combines, a sum shows
    // each of them: asked for where no sum is tried anyway. That of two is right only by combine().
    const struct operation *sum = operation_find("sum", "uint");
    char why_not[400];
    double no_wall;
    if (check_size(session, variant, sum, wanted, 2, &no_wall, why_not) != 0)
        return 0;
    status = check_size(session, variant, sum, wanted, n, wall, why);
    if (status == EXIT_WRONG)
        ADD_WHY(" (as a sum of uint: %s shows the extreme only)", operation->op);
    return status == EXIT_WRONG ? status : 0;
}

/* A test that cannot run here. If nothing can, TAP wants one line for all: so these wait until
 * something ran. */
static void skip(struct tap *tap, const char *test, const char *reason)
{
    if (!tap->first_reason[0])
        snprintf(tap->first_reason, sizeof tap->first_reason, "%s", reason);
    if (tap->ran > 0)
        printf("ok %d - %s # SKIP %s\n", ++tap->tests, test, reason);
    else if (tap->held_length + 400 < sizeof tap->held)
        tap->held_length += (size_t)snprintf(tap->held + tap->held_length, 400,
                                             "ok %d - %s # SKIP %s\n", ++tap->tests, test, reason);
}

/* One line of TAP: a variant, an operator and a group size (0: the plan's own) with all its sizes.
 */
static void check_group(struct session *session, struct tap *tap, const struct variant *variant,
                        const struct operation *operation, size_t group, int width, bool brief)
{
    uint64_t sizes[LIST];
    int count = sizes_for(session->options, group ? group : 256, brief, sizes);
    const struct options *options = session->options;
    struct geometry wanted = { group, options->groups.value[0], options->force, width };
    char test[200], groups[40] = "", widths[20] = "", why[400] = "";
    if (group)
        snprintf(groups, sizeof groups, ", groups of %zu", group);
    if (width)
        snprintf(widths, sizeof widths, ", width %d", width);
    snprintf(test, sizeof test, "step%02d %s: %s %s%s%s", session->step->number, variant->name,
             operation->op, operation->type, groups, widths);

    for (int i = 0; i < count; i++) {
        double wall;
        int status = check_size(session, variant, operation, wanted, sizes[i], &wall, why);
        if (status == EXIT_UNSUPPORTED) {
            skip(tap, test, why);
            return;
        }
        // The first real result: the skips before it may be said now.
        if (tap->ran++ == 0)
            fputs(tap->held, stdout);
        if (status == EXIT_BROKEN) {
            printf("not ok %d - %s\n# %s%s\n", ++tap->tests, test, why,
                   tap->broken++ ? "" : ": see the log");
            tap->failures++;
            return;
        }
        tap->compiles = tap->compiles ? tap->compiles : operation;
        if (status == EXIT_WRONG) {
            printf("not ok %d - %s\n# n = %" PRIu64 ": %s\n", ++tap->tests, test, sizes[i], why);
            if (tap->diagnosed != variant)
                diagnose(session, variant, operation, wanted, sizes[i], why, "# ");
            tap->diagnosed = variant;
            tap->failures++;
            return;
        }
    }
    printf("ok %d - %s, %d sizes\n", ++tap->tests, test, count);
    if (variant->drops_no_nan && operation->floating && operation->has_extreme)
        printf("ok %d - %s, NaN among them # SKIP min() and max() promise nothing about NaN\n",
               ++tap->tests, test);
    fflush(stdout);
}

/* Does this operator take its turn with this variant? Each variant meets every operator and every
 * type, but not every pair of them: the next variant takes the next third. What shows the order of
 * the elements, each variant meets. */
static bool takes_turn(const struct operation *const *chosen, int i, int variant)
{
    int op = 0; // its number: types of one operator stand together
    for (int k = 1; k <= i; k++)
        op += strcmp(chosen[k]->op, chosen[k - 1]->op) != 0;
    return i == 0 || !chosen[i]->commutative || (i + op + variant) % 3 == 0;
}

/* Does this variant run in groups of that size here, with the first operation that it compiles for?
 * 0: does it leave the size open? */
static bool takes_group(struct session *session, const struct variant *variant,
                        const struct operation *const *operation, size_t group, int width)
{
    struct run run;
    struct input input =
        input_make(&session->device, &session->kernels, *operation, (struct data) { .n = 1 });
    session_plan(session, &run, variant, *operation, &input,
                 (struct geometry) { .group = group, .force = true, .width = width });
    bool takes = !run.plan->reason[0] && (run.plan->asked & ASKED_GROUP), broken = run.plan->broken;
    plan_release(&run);
    input_release(&input);
    return broken && operation[1] ? takes_group(session, variant, operation + 1, group, width)
                                  : takes;
}

/* All group sizes with the first operator, where no variant before was tried with the same kernel;
 * else one of those that it takes, though not the largest, where not all operators' values fit into
 * local memory. Your own kernel meets every operator. The order of elements may hang on the group:
 * hash of one type meets an odd one, one that is no power of two, and a usual one. */
static void check_variant(struct session *session, struct tap *tap,
                          const struct variant *const *before, const struct variant *variant,
                          const struct operation *const *chosen, int width)
{
    const struct options *options = session->options;
    int number = (int)(variant - session->step->variants) + session->step->number, takes = 0;
    bool all = options->op || options->type || options->kernel || options->group.count > 0,
         new_kernel = true;
    uint64_t groups[LIST] = { 1, 2, 3, 7, 12, 32, 96, 100, 256, session->device.group_limit };
    int count = sorted_set(groups, 10, 1, session->device.group_limit);
    uint64_t taken[LIST] = { groups[0] }; // if it takes none, that one says why
    bool open = !options->races && takes_group(session, variant, chosen, 0, width);

    if (options->group.count > 0 && (open || options->races)) {
        memcpy(groups, options->group.value, sizeof options->group.value);
        count = options->group.count;
    } else if (!open) {
        groups[0] = 0; // one test, whose reason or success says it all
        count = 1;
    }
    for (; *before != variant; before++)
        new_kernel =
            new_kernel && (!variant->kernel || strcmp((*before)->kernel, variant->kernel) != 0);
    for (int g = 0; g < count; g++)
        if (groups[g] == 0 || takes_group(session, variant, chosen, groups[g], width))
            taken[takes++] = groups[g];
    for (int i = 0; chosen[i]; i++) {
        bool first = i == 0 || !tap->compiles;
        bool full = (first && new_kernel) || options->group.count > 0;
        int broken = tap->broken;
        bool ordered = !chosen[i]->commutative && (i == 0 || chosen[i - 1]->commutative);
        uint64_t turn = taken[(i / 3 + number) % (takes > 1 ? takes - 1 : 1)];
        for (int g = 0;
             g < count && tap->broken == broken && (all || takes_turn(chosen, i, number)); g++) {
            bool three = groups[g] == 7 || groups[g] == 96 || groups[g] == 256;
            if (full || (ordered && count > 1 ? three : groups[g] == turn))
                check_group(session, tap, variant, chosen[i], groups[g], width, !first);
        }
    }
}

int check(struct session *session, const struct variant *const *variants,
          const struct operation *const *chosen)
{
    struct tap tap = { .tests = 0 };
    const struct options *options = session->options;
    if (options->kernel && !options->variant)
        printf("# %s takes the place of variant %s, the main one; --variant names another\n",
               options->kernel, variants[0]->name);
    const int widths = options->width.count ? options->width.count : 1;
    for (int i = 0; variants[i]; i++)
        for (int w = 0; w < widths; w++)
            check_variant(session, &tap, variants, variants[i], chosen,
                          (int)options->width.value[w]);
    if (tap.broken && tap.compiles)
        printf("# to check only this: --op %s --type %s\n", tap.compiles->op, tap.compiles->type);
    if (tap.ran == 0)
        printf("1..0 # SKIP %s\n", tap.first_reason);
    else
        printf("1..%d\n", tap.tests);
    return tap.failures ? EXIT_WRONG : 0;
}
