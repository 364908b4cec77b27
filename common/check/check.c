/* What is tried with what.
 *
 *   the first operation (sum of int)   all groups x all sizes; all widths x all sizes
 *   the others, a third of them        one group, one width, a few sizes
 *
 *              int  uint float long ulong double      The variants of a step take the thirds in
 *     sum       -    1    2    0    1    2            turn: each meets every operator and every
 *     min       1    2    0    1    2    0            type. The main one takes all three, where
 *     max       2    0    1    2    0    1            it can be built with several widths.
 *     argmin    0    1    2
 */
#include "check.h"

#include "diagnose.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The first operation: in all these groups (0 ends them), or another variant of the same kernel
 * was. */
#define LARGEST UINT64_MAX // that the device has
static const uint64_t all_groups[] = { 1, 2, 3, 7, 32, 100, 128, 256, 1024, LARGEST, 0 },
                      usual_group[] = { 100, 0 };
static const struct {
    int width;
    uint64_t groups[2];
} all_widths[] = { { 1, { 96 } }, { 2, { 100 } },  { 4, { 12 } },
                   { 8, { 7 } },  { 16, { 256 } }, { 16, { 3 } } };

/* The others: from one to the next another of these. The order of elements may hang on the group:
 * odd, no power of two, the usual; and more than one element at a time is no order. */
static const uint64_t other_groups[] = { 256, 1, 2, 3, 7, 12, 32, 96, 100 },
                      groups_in_order[] = { 7, 12, 96, 256, 0 };
static const int other_widths[] = { 16, 2, 4, 8, 1 };

/* How many groups, where the plan leaves that open (0: its own): from one size to the next another
 * of these, and from one test to the next another beginning. */
static const uint64_t all_counts[] = { 0, 1, 2, 3, 5, 17, 64, 300 };

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
static void explain(struct tap *tap, const struct trial *trial, int status, const char *why)
{
    tap->failures++;
    if (status == EXIT_BROKEN) {
        printf("# %s%s\n", why, tap->broken ? "" : ": see the log");
        tap->broken = true;
        return;
    }
    printf("# n = %" PRIu64 ": %s\n", trial->n, why);
    if (tap->diagnosed != trial->variant)
        diagnose(tap->session, trial, why, "# ");
    tap->diagnosed = trial->variant;
}

/* Sizes where reductions break: around one and two groups, powers of two, primes, one beyond 2^20,
 * in one group size beyond 2^21; with a width, all that vectors of 16 leave over; fewer for brief.
 */
static int sizes_for(const struct options *options, uint64_t w, bool wide, bool brief,
                     uint64_t sizes[LIST])
{
    const uint64_t most = w == 256 ? 2097169 : 1048583;
    const uint64_t few[] = { 1, 3, w + 1, 4096, 100003 };
    const uint64_t all[] = { 1,    2,    3,     w - 1, w,         w + 1,  2 * w + 1, 17,
                             4095, 4096, 10007, 10008, w * w + 1, 131072, most };
    const size_t bytes = brief ? sizeof few : sizeof all;
    if (options->n.count > 0) {
        memcpy(sizes, options->n.value, sizeof options->n.value);
        return options->n.count;
    }
    int count = (int)(bytes / sizeof *sizes);
    memcpy(sizes, brief ? few : all, bytes);
    for (uint64_t rest = 0; wide && !brief && rest < 16; rest++)
        sizes[count++] = 48 + rest;
    return sorted_set(sizes, count, 1, most);
}

/* One test: all sizes of one trial. */
static void check_sizes(struct tap *tap, struct trial trial, bool brief)
{
    const struct options *options = tap->session->options;
    const struct operation *operation = trial.operation;
    const size_t group = trial.geometry.group;
    const int width = trial.geometry.width;
    char test[200], why[400] = "", more[450] = "";
    uint64_t sizes[LIST];
    const int count = sizes_for(options, group ? group : 256, width > 0, brief, sizes);
    int status = 0;
    snprintf(test, sizeof test, "step%02d %s: %s %s%s%.0zu%s%.0d", // %.0: nothing for 0
             tap->session->step->number, trial.variant->name, operation->op, operation->type,
             group ? ", groups of " : "", group, width ? ", width " : "", width);
    for (int i = 0; i < count && !status; i++) {
        double wall;
        trial.n = sizes[i];
        if (!options->groups.count)
            trial.geometry.groups = all_counts[(size_t)(3 * i + tap->tests) % COUNT(all_counts)];
        status = check_size(tap->session, &trial, &wall, why);
        if ((status == 0 || status == EXIT_WRONG) && !tap->compiles)
            tap->compiles = operation;
    }
    if (status == EXIT_UNSUPPORTED)
        snprintf(more, sizeof more, " # SKIP %s", why);
    else if (status == 0)
        snprintf(more, sizeof more, ", %d sizes", count);
    say(tap, *more ? "ok" : "not ok", test, more);
    if (!*more)
        explain(tap, &trial, status, why);
    if (!status && trial.variant->drops_no_nan && operation->floating && operation->has_extreme)
        say(tap, "ok", test, ", NaN among them # SKIP min() and max() promise nothing about NaN");
}

static struct prospect try_group(struct session *session, struct trial trial, uint64_t group)
{
    trial.geometry.group = group;
    // Without it a plan that reorders is refused before it compiles.
    trial.geometry.force |= trial.variant->keeps_order != NEVER;
    return session_try(session, &trial);
}

/* One operation in each of these groups, or in those of --group, or in the plan's own if it asks
 * for none. If it is a brief check, one that does not fit gives way to the plan's own. Returns what
 * the plan asks for. */
static struct prospect check_groups(struct tap *tap, struct trial trial, const uint64_t *groups,
                                    bool brief)
{
    const struct numbers *given = &tap->session->options->group;
    const size_t limit = tap->session->device.group_limit;
    const struct prospect own = try_group(tap->session, trial, 0);
    if (!own.possible || !(own.asked & ASKED_GROUP)) { // or it does not compile: said once
        check_sizes(tap, trial, brief);
        return own;
    }
    if (given->count)
        groups = given->value; // a 0 behind them
    for (int i = 0; i < LIST && groups[i]; i++) {
        const uint64_t group = groups[i] < limit ? groups[i] : limit;
        if (i > 0 && group == trial.geometry.group) // as the one before
            continue;
        trial.geometry.group = group;
        if (brief && !given->count && !try_group(tap->session, trial, group).possible)
            trial.geometry.group = 0;
        check_sizes(tap, trial, brief);
    }
    return own;
}

/* The first operation in these groups, then in all widths; then the others. */
static void check_variant(struct tap *tap, struct trial trial, const uint64_t *groups)
{
    const struct options *options = tap->session->options;
    const struct step *step = tap->session->step;
    const struct operation **next = tap->session->operations;
    const int number = step->number + (int)(trial.variant - step->variants);
    struct prospect own;
    do { // or the first that it compiles for
        trial.operation = *next++;
        own = check_groups(tap, trial, groups, false);
    } while (*next && own.broken);
    const bool wide = (own.asked & ASKED_WIDTH) && !options->width.count;
    const bool narrow = options->op || options->type || options->kernel || options->group.count > 0;
    const bool all = narrow || (wide && trial.variant == step->variants);
    for (size_t w = 0; w < COUNT(all_widths) && wide; w++) {
        trial.geometry.width = all_widths[w].width;
        if (all_widths[w].width != own.width)
            check_groups(tap, trial, all_widths[w].groups, false);
    }
    int row = 0, column = 0; // of the table above
    bool met = true;         // this operator
    for (size_t turn = (size_t)number; *next; next++, turn++) {
        const bool in_order = !next[0]->commutative,
                   another = strcmp(next[0]->op, next[-1]->op) != 0,
                   last = !next[1] || strcmp(next[0]->op, next[1]->op) != 0;
        const uint64_t group[] = { other_groups[turn % COUNT(other_groups)], 0 };
        row += another;
        column = another ? 0 : column + 1;
        met &= !another;
        if (!all && (row + column + number) % 3 != 0 && !(last && !met))
            continue;
        met = true;
        trial.operation = *next;
        if (wide)
            trial.geometry.width = in_order ? 1 : other_widths[turn % COUNT(other_widths)];
        check_groups(tap, trial, in_order ? groups_in_order : group, true);
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
                                   .geometry = session_geometry(session, 0, w) };
            check_variant(&tap, trial, groups);
        }
    }
    if (tap.broken && tap.compiles)
        printf("# to check only this: --op %s --type %s\n", tap.compiles->op, tap.compiles->type);
    printf("1..%d\n", tap.tests);
    return tap.failures ? EXIT_WRONG : 0;
}
