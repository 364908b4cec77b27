/* What is tried with what.
 *
 *   the first operation (sum of int)   all groups x all sizes; all widths x all sizes
 *   the others                         rows of the matrix, a few sizes each
 */
#include "check.h"

#include "diagnose.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The other operations. A third of them has every operator and every type in it; the variants of a
 * step take these thirds in turn. The main one takes all three where it can be built with several
 * widths. Hash shows the order of elements, which may hang on the group: odd, no power of two, the
 * usual. */
static const struct pairing {
    enum { EACH = -1, FIRST, SECOND, THIRD } turn;
    const char *op, *type;
    uint64_t groups[5]; // 0 ends them; one that does not fit gives way to the plan's own
    int width;          // if the plan asks for one
} matrix[] = {
    { EACH, "hash", "int", { 7, 12, 96, 256 }, 1 }, // more than one element at a time is no order
    { EACH, "hash", "uint", { 32 }, 1 },

    { FIRST, "sum", "long", { 100 }, 2 },
    { FIRST, "min", "float", { 256 }, 16 },
    { FIRST, "min", "double", { 48 }, 4 },
    { FIRST, "max", "uint", { 2 }, 8 },
    { FIRST, "max", "ulong", { 3 }, 1 },
    { FIRST, "argmin", "int", { 7 }, 2 },
    { FIRST, "argmax", "float", { 12 }, 8 },

    { SECOND, "sum", "uint", { 32 }, 4 },
    { SECOND, "sum", "ulong", { 96 }, 8 },
    { SECOND, "min", "int", { 100 }, 1 },
    { SECOND, "min", "long", { 256 }, 2 },
    { SECOND, "max", "float", { 17 }, 4 },
    { SECOND, "max", "double", { 2 }, 16 },
    { SECOND, "argmin", "uint", { 3 }, 16 },
    { SECOND, "argmax", "int", { 7 }, 1 },

    { THIRD, "sum", "float", { 100 }, 1 },
    { THIRD, "sum", "double", { 256 }, 8 },
    { THIRD, "min", "uint", { 128 }, 2 },
    { THIRD, "min", "ulong", { 2 }, 16 },
    { THIRD, "max", "int", { 3 }, 16 },
    { THIRD, "max", "long", { 7 }, 4 },
    { THIRD, "argmin", "float", { 12 }, 4 },
    { THIRD, "argmax", "uint", { 32 }, 2 },

    { EACH, NULL, NULL, { 100 }, 4 }, // what is not listed
};

/* The first operation: all these groups, up to the largest that the device has, or another variant
 * of the same kernel had them. */
static const uint64_t all_groups[] = { 1, 2, 3, 7, 32, 100, 128, 256, 1024, UINT64_MAX, 0 };
static const uint64_t usual_group[] = { 96, 0 };
static const struct {
    int width;
    uint64_t groups[2];
} all_widths[] = { { 1, { 96 } },   { 2, { 100 } }, { 4, { 12 } }, { 8, { 7 } },
                   { 16, { 256 } }, { 16, { 3 } },  { 0 } }; // which ends them

/* How many groups, where the plan leaves that open: from one size to the next another of these, and
 * from one test to the next another beginning, so that each meets each size and each group. */
enum { COUNTS = 8 };
static const uint64_t all_counts[COUNTS] = { 0, 1, 2, 3, 5, 17, 64, 300 }; // 0: the plan's own

struct tap {
    struct session *session;
    int tests, failures;
    bool broken;                      // something does not compile
    const struct operation *compiles; // the first that does, or NULL
    const struct variant *diagnosed;  // whose first failure has been diagnosed
};

/* Wrong, or it does not compile. One failure of each variant is diagnosed, one log is shown. */
static void explain(struct tap *tap, const struct trial *trial, int status)
{
    const char *why = tap->session->run.reason;
    tap->failures++;
    if (status == EXIT_BROKEN) {
        printf("# %s%s\n", why, tap->broken ? "" : ": see the log");
        tap->broken = true;
        return;
    }
    printf("# n = %" PRIu64 ": %s\n", trial->n, why);
    if (tap->diagnosed != trial->variant)
        diagnose(tap->session, trial, "# ");
    tap->diagnosed = trial->variant;
}

/* Sizes where reductions break: around one and two groups, powers of two, primes, one that follows
 * from the seed, one beyond 2^20, in one group size beyond 2^21; with a width, all that vectors of
 * 16 leave over; the first few for brief. */
static int sizes_for(const struct options *options, uint64_t w, bool wide, bool brief,
                     uint64_t sizes[LIST])
{
    enum { BRIEF = 5, ALL = 16 };
    const uint64_t most = w == 256 ? 2097169 : 1048583;
    const uint64_t any = 5000 + options->seed.value[0] % 995000;
    const uint64_t all[ALL] = { 1,         3,  w + 1, 4096,  100003,    2,      w - 1, w,
                                2 * w + 1, 17, 4095,  10008, w * w + 1, 131072, most,  any };
    if (options->n.count > 0) {
        memcpy(sizes, options->n.value, sizeof options->n.value);
        return options->n.count;
    }
    int count = brief ? BRIEF : ALL;
    memcpy(sizes, all, sizeof all);
    for (uint64_t rest = 0; wide && !brief && rest < 16; rest++)
        sizes[count++] = 48 + rest;
    return sorted_set(sizes, count, 1, most);
}

/* One test: all sizes of one trial. Returns what check_trial() says of the last one. */
static int check_sizes(struct tap *tap, struct trial trial, bool brief)
{
    const struct options *options = tap->session->options;
    const struct operation *operation = trial.operation;
    const size_t group = trial.geometry.group;
    const struct back_end *back_end = &tap->session->back_end;
    const int width = trial.geometry.width,
              lanes = back_end->stands_in && back_end->lanes > 1 ? (int)back_end->lanes : 0;
    char test[200], more[450] = "";
    uint64_t sizes[LIST];
    const int count = sizes_for(options, group ? group : 256, width > 0, brief, sizes);
    int status = 0;
    snprintf(test, sizeof test, "step%02d %s: %s %s%s%.0zu%s%.0d%s%.0d", // %.0: nothing for 0
             tap->session->step->number, trial.variant->name, operation->op, operation->type,
             group ? ", groups of " : "", group, width ? ", width " : "", width,
             lanes ? ", lanes " : "", lanes);
    for (int i = 0; i < count && !status; i++) {
        trial.n = sizes[i];
        if (!options->groups.count)
            trial.geometry.groups = all_counts[(3 * i + tap->tests) % COUNTS];
        status = check_trial(tap->session, &trial);
        if ((status == 0 || status == EXIT_WRONG) && !tap->compiles)
            tap->compiles = operation;
    }
    if (status == EXIT_UNSUPPORTED)
        snprintf(more, sizeof more, " # SKIP %s", tap->session->run.reason);
    else if (status == 0)
        snprintf(more, sizeof more, ", %d sizes", count);
    printf("%s %d - %s%s\n", *more ? "ok" : "not ok", ++tap->tests, test, more);
    if (!*more)
        explain(tap, &trial, status);
    if (!status && trial.variant->drops_no_nan && operation->floating && operation->has_extreme)
        printf("ok %d - %s, NaN among them # SKIP min() and max() promise nothing about NaN\n",
               ++tap->tests, test);
    return status;
}

static bool try_group(struct tap *tap, struct trial trial, uint64_t group)
{
    trial.geometry.group = group;
    // Without it a plan that reorders is refused before it compiles.
    trial.geometry.force |= trial.variant->keeps_order != NEVER;
    return session_plan(tap->session, &trial);
}

/* One operation in each of these groups, or in those of --group, or in the plan's own if it asks
 * for none. If it is a brief check, one that does not fit gives way to the plan's own. Returns what
 * check_trial() says of the last one. */
static int check_groups(struct tap *tap, struct trial trial, const uint64_t *groups, bool brief)
{
    const struct numbers *given = &tap->session->options->group;
    const size_t limit = tap->session->device.group_limit;
    int status = 0;
    if (!try_group(tap, trial, 0) || !(tap->session->asked & ASKED_GROUP))
        return check_sizes(tap, trial, brief); // or it does not compile: said once
    if (given->count)
        groups = given->value; // a 0 behind them
    for (int i = 0; i < LIST && groups[i]; i++) {
        const uint64_t group = groups[i] < limit ? groups[i] : limit;
        if (i > 0 && group == trial.geometry.group) // as the one before
            continue;
        trial.geometry.group = group;
        if (brief && !given->count && !try_group(tap, trial, group))
            trial.geometry.group = 0;
        status = check_sizes(tap, trial, brief);
    }
    return status;
}

/* The first operation in these groups, in four lanes, in all widths; the others by the matrix. */
static void check_variant(struct tap *tap, struct trial trial, const uint64_t *groups)
{
    const struct options *options = tap->session->options;
    const struct step *step = tap->session->step;
    const struct operation **next = tap->session->operations;
    const int number = step->number + (int)(trial.variant - step->variants);
    int status;
    tap->session->asked = 0;
    do { // or the first that it compiles for
        trial.operation = *next++;
        status = check_groups(tap, trial, groups, false);
    } while (*next && status == EXIT_BROKEN);
    const int usual = tap->session->run.width;
    if (tap->session->asked & ASKED_LANES && !options->sub_groups) {
        tap->session->back_end = back_end_choose(&tap->session->device, "local:4");
        check_groups(tap, trial, usual_group, true);
        tap->session->back_end = back_end_choose(&tap->session->device, NULL);
    }
    const bool wide = (tap->session->asked & ASKED_WIDTH) && !options->width.count;
    const bool narrow = options->op || options->type || options->kernel || options->group.count > 0;
    const bool every_turn = narrow || (wide && trial.variant == step->variants);
    for (int w = 0; wide && all_widths[w].width; w++) {
        trial.geometry.width = all_widths[w].width;
        if (all_widths[w].width != usual)
            check_groups(tap, trial, all_widths[w].groups, false);
    }
    for (; *next; next++) {
        const struct pairing *pairing = matrix;
        while (pairing->op && operation_find(pairing->op, pairing->type) != *next)
            pairing++;
        trial.operation = *next;
        if (wide)
            trial.geometry.width = pairing->width;
        if (every_turn || pairing->turn == EACH || (pairing->turn + number) % 3 == 0)
            check_groups(tap, trial, pairing->groups, true);
    }
}

int check(struct session *session)
{
    const struct options *options = session->options;
    const struct variant **variants = session->variants;
    struct tap tap = { .session = session };
    if (!options->seed.count)
        printf("# --seed %" PRIu64 " makes this data again\n", options->seed.value[0]);
    if (options->kernel && !options->variant)
        printf("# %s takes the place of variant %s, the main one; --variant names another\n",
               options->kernel, variants[0]->name);
    for (int v = 0; variants[v]; v++) {
        const uint64_t *groups = all_groups;
        for (int before = 0; before < v; before++)
            if (variants[v]->kernel && strcmp(variants[before]->kernel, variants[v]->kernel) == 0)
                groups = usual_group; // that kernel had all of them
        for (int w = 0; w == 0 || w < options->width.count; w++) {
            const struct geometry geometry = session_geometry(session, w);
            check_variant(&tap, (struct trial) { variants[v], .geometry = geometry }, groups);
        }
    }
    if (tap.broken && tap.compiles)
        printf("# to check only this: --op %s --type %s\n", tap.compiles->op, tap.compiles->type);
    printf("1..%d\n", tap.tests);
    return tap.failures ? EXIT_WRONG : 0;
}
