/* The check matrix: what is tried with what.
 *
 *   the first operation (sum of int)   all groups x all sizes; all widths x all sizes
 *   the others                         rows of the list below, a few sizes each
 */
#include "check.h"

#include "diagnose.h"
#include "trial.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS = 10 };

/* The other operations. A third of them has every operator and every type in it; the variants of a
 * step take these thirds in turn. A kernel that can be built with several widths takes all three.
 * Hash shows the order of elements, which may hang on the group: odd, no power of two, the usual.
 */
static const struct row {
    enum { EACH = -1, FIRST, SECOND, THIRD } turn;
    const char *op, *type;
    size_t groups[3]; // if one of them does not fit, the next larger that does
    int width;        // if the plan asks for one
} matrix[] = {
    { EACH, "hash", "int", { 7, 96, 256 }, 1 }, // more than one element at a time is no order
    { EACH, "hash", "uint", { 32 }, 1 },

    { FIRST, "sum", "long", { 100 }, 2 },       { FIRST, "min", "float", { 256 }, 16 },
    { FIRST, "min", "double", { 1 }, 4 },       { FIRST, "max", "uint", { 2 }, 8 },
    { FIRST, "max", "ulong", { 3 }, 1 },        { FIRST, "argmin", "int", { 7 }, 2 },
    { FIRST, "argmax", "float", { 12 }, 8 },

    { SECOND, "sum", "uint", { 32 }, 4 },       { SECOND, "sum", "ulong", { 96 }, 8 },
    { SECOND, "min", "int", { 100 }, 1 },       { SECOND, "min", "long", { 256 }, 2 },
    { SECOND, "max", "float", { 1 }, 4 },       { SECOND, "max", "double", { 2 }, 16 },
    { SECOND, "argmin", "uint", { 3 }, 16 },    { SECOND, "argmax", "int", { 7 }, 1 },

    { THIRD, "sum", "float", { 100 }, 1 },      { THIRD, "sum", "double", { 256 }, 8 },
    { THIRD, "min", "uint", { 1 }, 2 },         { THIRD, "min", "ulong", { 2 }, 16 },
    { THIRD, "max", "int", { 3 }, 16 },         { THIRD, "max", "long", { 7 }, 4 },
    { THIRD, "argmin", "float", { 12 }, 4 },    { THIRD, "argmax", "uint", { 32 }, 2 },
};

/* The first operation. The last of the groups is the largest that the device has. */
static const size_t all_groups[GROUPS] = { 1, 2, 3, 7, 12, 32, 96, 100, 256, 0 };
enum { USUAL = 100 }; // its group where another variant of the same kernel had them all
static const struct {
    int width;
    size_t group;
} all_widths[] = { { 1, 96 }, { 2, 100 }, { 4, 12 }, { 8, 7 }, { 16, 256 } };

struct tap {
    struct session *session;
    int tests, failures, ran, broken;    // broken: do not compile
    const struct operation *compiles;    // the first that does, or NULL
    char held[16384], first_reason[300]; // skips are held back until something has run: see skip()
    size_t held_length;
    const struct variant *diagnosed; // one failure of each variant is
};

/* Sizes where reductions break: around one and two groups, powers of two, primes, one beyond 2^20;
 * fewer for brief. */
static int sizes_for(const struct options *options, size_t group, bool brief, uint64_t sizes[LIST])
{
    const uint64_t w = group, most = 1048583;
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

static void wrong(struct tap *tap, const struct trial *trial, const char *test, const char *why)
{
    printf("not ok %d - %s\n# n = %" PRIu64 ": %s\n", ++tap->tests, test, trial->n, why);
    if (tap->diagnosed != trial->variant)
        diagnose(tap->session, trial, why, "# ");
    tap->diagnosed = trial->variant;
    tap->failures++;
}

static void broken(struct tap *tap, const char *test, const char *why)
{
    printf("not ok %d - %s\n# %s%s\n", ++tap->tests, test, why, tap->broken ? "" : ": see the log");
    tap->broken++;
    tap->failures++;
}

/* One line of TAP: all sizes of one trial. */
static void check_sizes(struct tap *tap, struct trial trial, bool brief)
{
    const struct operation *operation = trial.operation;
    const struct geometry geometry = trial.geometry;
    char test[200], groups[40] = "", width[24] = "", why[400] = "";
    uint64_t sizes[LIST];
    const int count =
        sizes_for(tap->session->options, geometry.group ? geometry.group : 256, brief, sizes);
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
        if (status != EXIT_UNSUPPORTED && tap->ran++ == 0)
            fputs(tap->held, stdout); // the first real result: the skips before it may be said now
        if (status == 0 && !tap->compiles)
            tap->compiles = operation;
    }
    if (status == EXIT_UNSUPPORTED)
        skip(tap, test, why);
    else if (status == EXIT_BROKEN)
        broken(tap, test, why);
    else if (status == EXIT_WRONG)
        wrong(tap, &trial, test, why);
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

/* That group, or the next larger that this trial runs in here, or a smaller one; none: that one
 * says why. */
static size_t fitting(struct session *session, const struct trial *trial, size_t group)
{
    int from = 0;
    while (all_groups[from] < group)
        from++;
    for (int i = from; all_groups[i]; i++)
        if (try_group(session, *trial, all_groups[i]).possible)
            return all_groups[i];
    for (int i = from - 1; i >= 0; i--)
        if (try_group(session, *trial, all_groups[i]).possible)
            return all_groups[i];
    return group;
}

/* What a variant leaves open, by its plan for the first operation that it compiles for. */
static struct prospect open_of(struct session *session, struct trial trial,
                               const struct operation *const *operations)
{
    struct prospect prospect;
    do {
        trial.operation = *operations++;
        prospect = try_group(session, trial, 0);
    } while (prospect.broken && *operations);
    return prospect;
}

/* The groups to try: --group, or all, or the plan's own choice: then one test says it all. */
static int groups_for(const struct session *session, const struct prospect *open, size_t *groups)
{
    const struct numbers *given = &session->options->group;
    const size_t limit = session->device.group_limit;
    int count = 0;
    groups[0] = 0;
    if (!open->possible || !(open->asked & ASKED_GROUP))
        return 1;
    for (int i = 0; i < given->count; i++)
        groups[count++] = given->value[i];
    for (int i = 0; !given->count && all_groups[i] && all_groups[i] < limit; i++)
        groups[count++] = all_groups[i];
    if (!given->count)
        groups[count++] = limit;
    return count;
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

/* In those of a row, if the groups are open and not given. */
static void check_row(struct tap *tap, const struct trial *trial, const size_t *row, bool brief)
{
    size_t groups[3];
    int count = 0;
    while (count < 3 && row[count]) {
        groups[count] = fitting(tap->session, trial, row[count]);
        count++;
    }
    check_groups(tap, trial, groups, count, brief);
}

static const struct row *row_of(const struct operation *operation)
{
    const struct row *row = matrix, *end = matrix + sizeof matrix / sizeof *matrix;
    while (row < end - 1 &&
           (strcmp(row->op, operation->op) != 0 || strcmp(row->type, operation->type) != 0))
        row++;
    return row;
}

/* number: whose turn it is. */
static void check_variant(struct tap *tap, struct trial trial, int number, bool new_kernel,
                          const struct operation *const *operations)
{
    const struct options *options = tap->session->options;
    const struct prospect open = open_of(tap->session, trial, operations);
    const bool wide = (open.asked & ASKED_WIDTH) && !options->width.count;
    const bool every_turn = options->op || options->type || options->kernel ||
                            options->group.count > 0 || (wide && new_kernel);
    size_t groups[LIST];
    const int count = groups_for(tap->session, &open, groups), before = tap->broken;
    const bool as_they_are = options->group.count > 0 || !groups[0];
    int i = 0, broken = 0;
    do { // the first one that compiles
        trial.operation = operations[i];
        broken = tap->broken;
        if (new_kernel || as_they_are)
            check_groups(tap, &trial, groups, count, false);
        else
            check_row(tap, &trial, (const size_t[3]) { USUAL }, false);
    } while (operations[++i] && tap->broken > broken);
    for (int w = 0; w < 5 && wide && before == tap->broken; w++) {
        trial.geometry.width = all_widths[w].width;
        if (trial.geometry.width == open.width)
            continue;
        if (as_they_are)
            check_groups(tap, &trial, groups, count, false);
        else
            check_row(tap, &trial, (const size_t[3]) { all_widths[w].group }, false);
    }
    for (; operations[i]; i++) {
        const struct row *row = row_of(operations[i]);
        trial.operation = operations[i];
        trial.geometry.width = wide ? row->width : trial.geometry.width;
        if (!every_turn && row->turn != EACH && (row->turn + number) % 3 != 0)
            continue;
        if (as_they_are)
            check_groups(tap, &trial, groups, count, true);
        else
            check_row(tap, &trial, row->groups, true);
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
            new_kernel &= strcmp(variants[before]->kernel, variants[v]->kernel) != 0;
        const int number = session->number + (int)(variants[v] - session->main);
        for (int w = 0; w < (options->width.count ? options->width.count : 1); w++) {
            struct trial trial = { variants[v], operations[0], session_geometry(session, 0, w) };
            if (options->races) // one plan, for one n: see races.c
                check_sizes(&tap, trial, false);
            else
                check_variant(&tap, trial, number, new_kernel, operations);
        }
    }
    if (tap.broken && tap.compiles)
        printf("# to check only this: --op %s --type %s\n", tap.compiles->op, tap.compiles->type);
    if (tap.ran == 0)
        printf("1..0 # SKIP %s\n", tap.first_reason);
    else
        printf("1..%d\n", tap.tests);
    return tap.failures ? EXIT_WRONG : 0;
}
