/* The check matrix: what is tried with what.
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
    int tests, failures, ran, broken;    // broken: do not compile
    const struct operation *compiles;    // the first that does, or NULL
    const struct variant *diagnosed;     // one failure of each variant is
    char held[16384], first_reason[300]; // skips are held back until something has run: see skip()
    size_t held_length;
};

/* Sizes where reductions break: around one and two groups, powers of two, primes, one beyond 2^20;
 * fewer for brief. */
static int sizes_for(const struct options *options, uint64_t w, bool brief, uint64_t sizes[LIST])
{
    const uint64_t most = 1048583;
    const uint64_t all[] = { 1,    2,    3,     w - 1, w,         w + 1,  2 * w + 1, 17,
                             4095, 4096, 10007, 10008, w * w + 1, 131072, most };
    const uint64_t few[] = { 1, 3, w + 1, 4096, 100003 };
    if (options->n.count > 0) {
        memcpy(sizes, options->n.value, sizeof options->n.value);
        return options->n.count;
    }
    memcpy(sizes, brief ? few : all, brief ? sizeof few : sizeof all);
    return sorted_set(sizes, (int)((brief ? sizeof few : sizeof all) / sizeof *all), 1, most);
}

/* A test that cannot run here. If nothing can, TAP wants one line for all: so these wait. */
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

/* Wrong, or it does not compile. One failure of each variant is diagnosed, one log is shown. */
static void not_ok(struct tap *tap, const struct trial *trial, const char *test, int status,
                   const char *why)
{
    printf("not ok %d - %s\n", ++tap->tests, test);
    tap->failures++;
    if (status == EXIT_BROKEN) {
        printf("# %s%s\n", why, tap->broken++ ? "" : ": see the log");
        return;
    }
    printf("# n = %" PRIu64 ": %s\n", trial->n, why);
    if (tap->diagnosed != trial->variant)
        diagnose(tap->session, trial, why, "# ");
    tap->diagnosed = trial->variant;
}

/* One line of TAP: all sizes of one trial. */
static void check_sizes(struct tap *tap, struct trial trial, bool brief)
{
    const struct operation *operation = trial.operation;
    const struct geometry geometry = trial.geometry;
    char test[200], groups[40] = "", width[24] = "", why[400] = "";
    uint64_t sizes[LIST];
    const size_t w = geometry.group ? geometry.group : 256;
    const int count = sizes_for(tap->session->options, w, brief, sizes);
    int status = 0;
    if (geometry.group)
        snprintf(groups, sizeof groups, ", groups of %zu", geometry.group);
    if (geometry.width)
        snprintf(width, sizeof width, ", width %d", geometry.width);
    snprintf(test, sizeof test, "step%02d %s: %s %s%s%s", tap->session->number, trial.variant->name,
             operation->op, operation->type, groups, width);
    for (int i = 0; i < count && !status; i++) {
        double wall;
        trial.n = sizes[i];
        status = check_size(tap->session, &trial, &wall, why);
        if (status != EXIT_UNSUPPORTED && tap->ran++ == 0) // now the skips before it may be said
            fputs(tap->held, stdout);
        if ((status == 0 || status == EXIT_WRONG) && !tap->compiles)
            tap->compiles = operation;
    }
    if (status == EXIT_UNSUPPORTED)
        skip(tap, test, why);
    else if (status)
        not_ok(tap, &trial, test, status, why);
    else
        printf("ok %d - %s, %d sizes\n", ++tap->tests, test, count);
    if (!status && trial.variant->drops_no_nan && operation->floating && operation->has_extreme)
        printf("ok %d - %s, NaN among them # SKIP min() and max() promise nothing about NaN\n",
               ++tap->tests, test);
    fflush(stdout);
}

static struct prospect try_group(struct session *session, struct trial trial, size_t group)
{
    trial.geometry.group = group;
    trial.geometry.force = true;
    return session_try(session, &trial);
}

/* That group, or the next of the list that this trial runs in here; none: that one says why. */
static size_t fitting(struct session *session, const struct trial *trial, size_t group)
{
    int from = 0;
    while (all_groups[from] < group)
        from++;
    for (int i = 0; i < GROUPS; i++) {
        const size_t next = all_groups[(from + i) % GROUPS];
        if (try_group(session, *trial, next).possible)
            return next;
    }
    return group;
}

/* The groups to try: --group, or all, or the plan's own choice: then one test says it all. */
static int groups_for(const struct session *session, const struct prospect *open, size_t *groups)
{
    const struct numbers *given = &session->options->group;
    const size_t limit = session->device.group_limit;
    const bool leaves_open = open->possible && (open->asked & ASKED_GROUP);
    int count = 0;
    groups[0] = 0;
    for (int i = 0; leaves_open && i < given->count; i++)
        groups[count++] = given->value[i];
    for (int i = 0; leaves_open && !given->count && i < GROUPS && all_groups[i] < limit; i++)
        groups[count++] = all_groups[i];
    if (leaves_open && !given->count)
        groups[count++] = limit;
    return count ? count : 1;
}

/* One operation in each of these groups; that it does not compile is said once. */
static void check_groups(struct tap *tap, const struct trial *trial, const size_t *groups,
                         int count, bool brief)
{
    struct trial one = *trial;
    const int before = tap->broken;
    for (int g = 0; g < count && tap->broken == before; g++) {
        one.geometry.group = groups[g];
        check_sizes(tap, one, brief);
    }
}

/* How a variant is checked, as its plan and the command line leave it open. */
struct scope {
    size_t groups[LIST];
    int count;
    bool fixed; // the groups are given, or the plan's own choice: not those of a row
};

static void check_row(struct tap *tap, const struct trial *trial, const struct scope *scope,
                      const size_t row[3], bool brief)
{
    size_t groups[3];
    int count = 0;
    for (; count < 3 && row[count] && !scope->fixed; count++)
        groups[count] = fitting(tap->session, trial, row[count]);
    check_groups(tap, trial, scope->fixed ? scope->groups : groups,
                 scope->fixed ? scope->count : count, brief);
}

static const struct row *row_of(const struct operation *operation)
{
    const struct row *row = matrix;
    while (row->op &&
           (strcmp(row->op, operation->op) != 0 || strcmp(row->type, operation->type) != 0))
        row++;
    return row;
}

static void check_variant(struct tap *tap, struct trial trial, bool new_kernel,
                          const struct operation *const *operations)
{
    const struct options *options = tap->session->options;
    const int number = tap->session->number + (int)(trial.variant - tap->session->main);
    struct prospect open = try_group(tap->session, trial, 0);
    for (int i = 1; open.broken && operations[i]; i++) { // the first that it compiles for
        trial.operation = operations[i];
        open = try_group(tap->session, trial, 0);
    }
    const bool wide = (open.asked & ASKED_WIDTH) && !options->width.count;
    const bool narrow = options->op || options->type || options->kernel || options->group.count > 0;
    const bool every_turn = narrow || (wide && trial.variant == tap->session->main);
    struct scope scope;
    scope.count = groups_for(tap->session, &open, scope.groups);
    scope.fixed = options->group.count > 0 || !scope.groups[0];

    int i = 0, broken = 0;
    do { // the same one, and those before it
        trial.operation = operations[i];
        broken = tap->broken;
        if (new_kernel)
            check_groups(tap, &trial, scope.groups, scope.count, false);
        else
            check_row(tap, &trial, &scope, (const size_t[3]) { USUAL }, false);
    } while (operations[++i] && tap->broken > broken);
    for (int w = 0; w < 5 && wide; w++) {
        trial.geometry.width = all_widths[w].width;
        if (all_widths[w].width != open.width)
            check_row(tap, &trial, &scope, (const size_t[3]) { all_widths[w].group }, false);
    }
    for (; operations[i]; i++) {
        const struct row *row = row_of(operations[i]);
        trial.operation = operations[i];
        trial.geometry.width = wide ? row->width : trial.geometry.width;
        if (every_turn || row->turn == EACH || (row->turn + number) % 3 == 0)
            check_row(tap, &trial, &scope, row->groups, true);
    }
}

int check(struct session *session, const struct variant *const *variants,
          const struct operation *const *operations)
{
    const struct options *options = session->options;
    struct tap tap = { .session = session };
    if (options->kernel && !options->variant)
        printf("# %s takes the place of variant %s, the main one; --variant names another\n",
               options->kernel, variants[0]->name);
    for (int v = 0; variants[v]; v++) {
        bool new_kernel = true;
        for (int before = 0; before < v; before++)
            new_kernel &=
                !variants[v]->kernel || strcmp(variants[before]->kernel, variants[v]->kernel) != 0;
        for (int w = 0; w < (options->width.count ? options->width.count : 1); w++) {
            struct trial trial = { variants[v], operations[0], session_geometry(session, 0, w) };
            if (options->races) // one plan, for one n: see races.c
                check_sizes(&tap, trial, false);
            else
                check_variant(&tap, trial, new_kernel, operations);
        }
    }
    if (tap.broken && tap.compiles)
        printf("# to check only this: --op %s --type %s\n", tap.compiles->op, tap.compiles->type);
    if (tap.ran > 0)
        printf("1..%d\n", tap.tests);
    else
        printf("1..0 # SKIP %s\n", tap.first_reason);
    return tap.failures ? EXIT_WRONG : 0;
}
