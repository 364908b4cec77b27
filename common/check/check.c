/* What is tried with what.
 *
 *   the first operation (sum of int)   all groups x all sizes; all widths x all sizes
 *   the others                         rows of the list in matrix.h, a few sizes each
 */
#include "check.h"

#include "diagnose.h"
#include "matrix.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct tap {
    struct session *session;
    int tests, failures;
    bool broken;                      // something does not compile
    const struct operation *compiles; // the first that does, or NULL
    const struct variant *diagnosed;  // whose first failure has been diagnosed
};

static void say(struct tap *tap, const char *ok, const char *test, const char *more)
{
    printf("%s %d - %s%s\n", ok, ++tap->tests, test, more);
}

/* Wrong, or it does not compile. One failure of each variant is diagnosed, one log is shown. */
static void explain(struct tap *tap, const struct trial *trial, int status)
{
    const char *why = tap->session->why;
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
        snprintf(more, sizeof more, " # SKIP %s", tap->session->why);
    else if (status == 0)
        snprintf(more, sizeof more, ", %d sizes", count);
    say(tap, *more ? "ok" : "not ok", test, more);
    if (!*more)
        explain(tap, &trial, status);
    if (!status && trial.variant->drops_no_nan && operation->floating && operation->has_extreme)
        say(tap, "ok", test, ", NaN among them # SKIP min() and max() promise nothing about NaN");
    return status;
}

static bool try_group(struct tap *tap, struct trial trial, uint64_t group)
{
    trial.geometry.group = group;
    // Without it a plan that reorders is refused before it compiles.
    trial.geometry.force |= trial.variant->keeps_order != NEVER;
    return session_try(tap->session, &trial);
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

static const struct pairing *pairing_of(const struct operation *operation)
{
    const struct pairing *pairing = matrix;
    while (pairing->op && operation_find(pairing->op, pairing->type) != operation)
        pairing++;
    return pairing;
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
    const unsigned asked = tap->session->asked;
    const int usual = tap->session->width;
    if (asked & ASKED_LANES && !options->sub_groups) {
        tap->session->back_end = back_end_choose(&tap->session->device, "local:4");
        check_groups(tap, trial, usual_group, true);
        tap->session->back_end = back_end_choose(&tap->session->device, NULL);
    }
    const bool wide = (asked & ASKED_WIDTH) && !options->width.count;
    const bool narrow = options->op || options->type || options->kernel || options->group.count > 0;
    const bool every_turn = narrow || (wide && trial.variant == step->variants);
    for (int w = 0; w < WIDTHS && wide; w++) {
        trial.geometry.width = all_widths[w].width;
        if (all_widths[w].width != usual)
            check_groups(tap, trial, all_widths[w].groups, false);
    }
    for (; *next; next++) {
        const struct pairing *pairing = pairing_of(*next);
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
            struct trial trial = { .variant = variants[v],
                                   .geometry = session_geometry(session, w) };
            check_variant(&tap, trial, groups);
        }
    }
    if (tap.broken && tap.compiles)
        printf("# to check only this: --op %s --type %s\n", tap.compiles->op, tap.compiles->type);
    printf("1..%d\n", tap.tests);
    return tap.failures ? EXIT_WRONG : 0;
}
