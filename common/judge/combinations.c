/* The tests of each variant:
 *
 *   the first operation (sum of int)   all group sizes x all sizes; all widths x all sizes
 *   the other operations               the `pairings`, with a few sizes each
 */
#include "combinations.h"

#include "causes.h"
#include "examine.h"
#include "explain.h"
#include "oclgrind.h"
#include "operations.h"
#include "probe.h"
#include "verify.h"
#include "work.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- the sizes and operations that are verified; a list of numbers ends with a 0 */

/* The first operation is verified in all of these groups, up to the largest of the device; or in
 * the usual ones, if another variant with the same kernel was verified in all of them. The size
 * that most plans choose comes first, because in groups of 1 different mistakes have the same
 * effect. */
static const uint64_t all_group_sizes[] = { 256, 1,   2,   3,    7,          32, 64,
                                            100, 128, 512, 1024, UINT64_MAX, 0 },
                      usual_group_size[] = { 96, 0 };

/* The first operation at all widths, each in groups of a few sizes, one of them above 256. */
static const struct width_test {
    int width;
    uint64_t group_sizes[4];
} all_widths[] = {
    { 1, { 96, 320 } }, { 2, { 100, 320 } },     { 4, { 12, 320 } },
    { 8, { 7, 320 } },  { 16, { 256, 3, 320 } }, { 0 },
};

/* If the command line leaves the number of groups open, each size of a test takes another of these,
 * and each test begins elsewhere in this list, the first one with 0: the plan chooses. So every
 * number meets every size and every group size. */
enum { GROUP_COUNTS = 8 };
static const uint64_t all_group_counts[GROUP_COUNTS] = { 0, 1, 2, 3, 5, 17, 64, 300 };

/* The other operations, each with the group sizes and the width with which it is verified. If a
 * group size does not fit, the plan's own replaces it. The pairings form three turns, each with
 * every operator and every type. The variants of a step take the turns one after another; the main
 * variant takes all three if it has several widths. Hash shows the order of the elements, which may
 * depend on the group size: odd, even but no power of two, and the usual one. */
static const struct pairing {
    enum { EACH_TURN = -1, TURN_0, TURN_1, TURN_2 } turn;
    const char *op, *type;
    uint64_t group_sizes[5];
    int width;
} pairings[] = {
    { EACH_TURN, "hash", "int", { 7, 12, 96, 256 }, 1 }, // wider loads do not keep the order
    { EACH_TURN, "hash", "uint", { 32 }, 1 },

    { TURN_0, "sum", "long", { 100, 64 }, 2 },
    { TURN_0, "min", "float", { 256, 64, 7 }, 16 },
    { TURN_0, "min", "double", { 48, 512, 3 }, 4 },
    { TURN_0, "max", "uint", { 2 }, 8 },
    { TURN_0, "max", "ulong", { 3 }, 1 },
    { TURN_0, "argmin", "int", { 7 }, 2 },
    { TURN_0, "argmax", "float", { 12, 512 }, 8 },

    { TURN_1, "sum", "uint", { 32, 512 }, 4 },
    { TURN_1, "sum", "ulong", { 96 }, 8 },
    { TURN_1, "min", "int", { 100 }, 1 },
    { TURN_1, "min", "long", { 256 }, 2 },
    { TURN_1, "max", "float", { 17, 512 }, 4 },
    { TURN_1, "max", "double", { 2, 64, 7 }, 16 },
    { TURN_1, "argmin", "uint", { 3 }, 16 },
    { TURN_1, "argmax", "int", { 7 }, 1 },

    { TURN_2, "sum", "float", { 100, 64, 512, 7 }, 1 },
    { TURN_2, "sum", "double", { 256, 64, 512, 7 }, 8 },
    { TURN_2, "min", "uint", { 128 }, 2 },
    { TURN_2, "min", "ulong", { 2 }, 16 },
    { TURN_2, "max", "int", { 3 }, 16 },
    { TURN_2, "max", "long", { 7 }, 4 },
    { TURN_2, "argmin", "float", { 12, 64 }, 4 },
    { TURN_2, "argmax", "uint", { 32 }, 2 },

    { EACH_TURN, NULL, NULL, { 100 }, 4 }, // operations that are not listed
};

static const struct pairing *find_pairing(const struct operation *operation)
{
    const struct pairing *pairing = pairings;
    while (pairing->op && find_operation(pairing->op, pairing->type) != operation)
        pairing++;
    return pairing;
}

/* Sizes at which reductions break: around one and two groups, powers of two, primes, two that
 * depend on the seed, one above 2^20 or, for the usual group size of 256, above 2^21. With a width,
 * and in groups of 256, all remainders that vectors of 16 can leave. If `is_brief`, only the first
 * six, and all remainders. Returns their number. */
static int list_sizes(const struct options *options, uint64_t group_size, bool has_width,
                      bool is_brief, uint64_t sizes[NUMBERS_MAX])
{
    enum { BRIEF_COUNT = 6, COUNT = 18 };
    const uint64_t largest = group_size == 256 ? 2097169 : 1048583, seed = options->seed;
    // clang-format off
    const uint64_t all[COUNT] = {
        1, 3, group_size + 1, 4096, 262147, 5000 + seed % 95000, // the first six
        group_size - 1, group_size, 2 * group_size + 1, group_size * group_size + 1, 2, 17, 4095,
        10008, 100003, 131072, largest, 5000 + seed % 995000
    };
    // clang-format on
    if (options->n.count > 0) {
        memcpy(sizes, options->n.value, options->n.count * sizeof *sizes);
        return options->n.count;
    }
    int count = is_brief ? BRIEF_COUNT : COUNT;
    memcpy(sizes, all, sizeof all);
    const bool tries_rests = has_width || is_brief || group_size == 256;
    for (uint64_t rest = 0; tries_rests && rest < 16; rest++)
        sizes[count++] = 48 + rest;
    return sort_and_filter(sizes, count, 1, largest);
}

/* ---- the tests */

struct judgement {
    struct request *request;
    struct reduction reduction; // planned last
    int tests, failures, skips;
    int problems;                     // verified so far
    bool has_shown_log;               // of something that does not compile
    const struct operation *compiles; // the first operation that does, or NULL
    const struct variant *explained;  // its first failure has been explained
    char why_skipped[500];            // the first test that was skipped
    bool is_last_variant;
};

/* Before each line that explains a failure. */
static const char *mark(void) { return prints_tap ? "# " : "  "; }

/* Without --tap, the first failure ends the judgement. */
static bool is_over(const struct judgement *judgement)
{
    return judgement->failures > 0 && !prints_tap;
}

/* Explains one failure of each variant, and shows one build log. */
static void explain_failure(struct judgement *judgement, const struct problem *problem,
                            enum status status)
{
    if (status == STATUS_DOES_NOT_COMPILE) {
        const struct kernel *kernel = judgement->reduction.kernel;
        const bool shows_log = !kernel->kernel && !judgement->has_shown_log;
        if (shows_log)
            print_refusal(&judgement->reduction);
        printf("%s%s%s\n", mark(), judgement->reduction.reason,
               shows_log && kernel->log ? ": see the log" : "");
        judgement->has_shown_log = true;
        print_cause_name("does_not_compile", mark());
        return;
    }
    printf("%sn = %" PRIu64 ": %s\n", mark(), problem->n, judgement->reduction.verdict.reason);
    if (judgement->explained != problem->variant)
        explain_mistake(judgement->request, &judgement->reduction, mark());
    judgement->explained = problem->variant;
}

/* Prints the result of a test, for people only if it failed:
 *
 *   ok 3 - stepNN vector: sum int, groups of 64, width 4, 18 sizes        with --tap
 *   WRONG: vector: sum int, groups of 64, width 4                         without it
 */
static void print_test(struct judgement *judgement, const struct problem *problem, bool failed,
                       const char *rest)
{
    const struct back_end *back_end = &judgement->reduction.back_end;
    const struct geometry *geometry = &problem->geometry;
    judgement->tests++;
    judgement->failures += failed;
    if (prints_tap)
        printf("%s %d - step%02d ", failed ? "not ok" : "ok", judgement->tests,
               judgement->request->step->number);
    else if (failed)
        printf("WRONG: ");
    else
        return;
    printf("%s: %s %s", problem->variant->name, problem->operation->op, problem->operation->type);
    if (geometry->group_size)
        printf(", groups of %zu", geometry->group_size);
    if (geometry->width)
        printf(", width %d", geometry->width);
    if (back_end->is_emulated && back_end->lanes > 1)
        printf(", lanes %u", back_end->lanes);
    printf("%s\n", rest);
}

/* One test verifies all sizes of one problem. Returns the status on the last size. */
static enum status check_sizes(struct judgement *judgement, struct problem problem,
                               bool chooses_groups, bool is_brief)
{
    const struct options *options = judgement->request->options;
    const struct operation *operation = problem.operation;
    const struct variant *variant = problem.variant;
    const size_t group_size = problem.geometry.group_size;
    uint64_t sizes[NUMBERS_MAX];
    char rest[500] = "";
    const int count = list_sizes(options, group_size ? group_size : 256, problem.geometry.width > 0,
                                 is_brief, sizes);
    enum status status = STATUS_RIGHT;
    for (int i = 0; i < count && status == STATUS_RIGHT; i++) {
        problem.n = sizes[i];
        if (!options->groups && chooses_groups)
            problem.geometry.groups =
                all_group_counts[(3 * i + judgement->problems) % GROUP_COUNTS];
        status = verify_problem(&judgement->reduction, judgement->request->device, &problem,
                                judgement->request->seed);
        if (status == STATUS_RIGHT && options->op)
            status = verify_as_sum(&judgement->reduction, judgement->request->seed);
        if ((status == STATUS_RIGHT || status == STATUS_WRONG) && !judgement->compiles)
            judgement->compiles = operation;
    }

    judgement->problems++;
    // An option that has no effect on any variant is a mistake of the user.
    if (status == STATUS_SETUP && judgement->is_last_variant && !judgement->compiles)
        fail("%s", judgement->reduction.reason);
    if (status == STATUS_UNSUPPORTED || status == STATUS_SETUP) {
        judgement->skips++;
        snprintf(rest, sizeof rest, " # SKIP %s", judgement->reduction.reason);
        if (!*judgement->why_skipped)
            snprintf(judgement->why_skipped, sizeof judgement->why_skipped, "%s: %s", variant->name,
                     judgement->reduction.reason);
    } else if (status == STATUS_RIGHT) {
        snprintf(rest, sizeof rest, ", %d sizes", count);
    }
    const bool failed = status == STATUS_WRONG || status == STATUS_DOES_NOT_COMPILE;
    print_test(judgement, &problem, failed, rest);
    if (failed)
        explain_failure(judgement, &problem, status);
    if (status == STATUS_RIGHT && variant->nan_is_undefined && operation->is_floating &&
        operation->has_extreme) {
        judgement->skips++;
        print_test(judgement, &problem, false,
                   ", NaN among them # SKIP min() and max() promise nothing about NaN");
    }
    return status;
}

/* Plans the problem in groups of this size. False: it cannot be planned. */
static bool group_size_fits(struct judgement *judgement, struct problem problem, size_t group_size)
{
    problem.n = 1;
    problem.geometry.group_size = group_size;
    // A variant that keeps the order in some geometries would else be refused in the others, and
    // check_sizes() prints that. One that always changes it need not be built to be refused.
    problem.force |= problem.variant->order != ORDER_CHANGES;
    begin_work(&problem, judgement->request->device, PLANNING);
    const bool fits = plan_reduction(&judgement->reduction, judgement->request->device, &problem);
    end_work();
    return fits;
}

/* Verifies one operation in groups of each of these sizes, or of those of --group. A plan that does
 * not ask for a group size is verified once. If `is_brief`, the plan's own size replaces one that
 * does not fit. Returns the status on the last size. */
static enum status check_group_sizes(struct judgement *judgement, struct problem problem,
                                     const uint64_t *group_sizes, bool is_brief)
{
    const struct options *options = judgement->request->options;
    const size_t largest = judgement->request->device->largest_group;
    enum status status = STATUS_RIGHT;
    const bool fits = group_size_fits(judgement, problem, 0),
               chooses_groups = judgement->reduction.chose_groups;
    if (options->group.count && fits && !judgement->reduction.chosen_group_size)
        problem.geometry.group_size = options->group.value[0]; // the plan refuses it
    if (!fits || !judgement->reduction.chosen_group_size)      // then this prints why, once
        return check_sizes(judgement, problem, chooses_groups, is_brief);
    const struct kernel *kernel = judgement->reduction.kernel;
    const uint64_t required[] = { kernel ? kernel->required_group_size : 0, 0 };
    if (options->group.count)
        group_sizes = options->group.value; // they end with a 0
    else if (required[0])
        group_sizes = required;
    for (int i = 0; group_sizes[i] && !is_over(judgement); i++) {
        const size_t group_size = group_sizes[i] < largest ? group_sizes[i] : largest;
        if (i > 0 && group_size == problem.geometry.group_size) // the same as before
            continue;
        problem.geometry.group_size = group_size;
        if (is_brief && !options->group.count && !group_size_fits(judgement, problem, group_size))
            problem.geometry.group_size = 0;
        status = check_sizes(judgement, problem, chooses_groups, is_brief);
    }
    return status;
}

/* Verifies the first operation in these groups, in four lanes, and at all widths, and the other
 * operations by their pairings. */
static void check_variant(struct judgement *judgement, struct problem problem,
                          const uint64_t *group_sizes)
{
    const struct options *options = judgement->request->options;
    const struct step *step = judgement->request->step;
    const struct variant *variant = problem.variant;
    const struct operation **next = judgement->request->operations;
    const struct variant *own = step->variants; // of the step, with its own kernel
    while (strcmp(own->name, variant->name) != 0)
        own++;
    const int turn = step->number + (int)(own - step->variants);
    enum status status;
    do { // with --tap: if it does not compile for that operation, the next one is the first
        problem.operation = *next++;
        status = check_group_sizes(judgement, problem, group_sizes, false);
    } while (*next && status == STATUS_DOES_NOT_COMPILE && prints_tap);
    if (status == STATUS_SETUP) // an option has no effect, in all other tests, too
        return;

    if (variant->needs & (NEEDS_SUB_GROUPS | NEEDS_TWO_DIMENSIONS) && !options->sub_groups &&
        !is_over(judgement)) {
        problem.sub_groups = "local:4";
        check_group_sizes(judgement, problem, usual_group_size, true);
        problem.sub_groups = NULL;
    }
    const bool tries_widths = variant->width && !options->width.count;
    for (int i = 0; tries_widths && all_widths[i].width && !is_over(judgement); i++) {
        problem.geometry.width = all_widths[i].width;
        if (problem.geometry.width != variant->width)
            check_group_sizes(judgement, problem, all_widths[i].group_sizes, false);
    }

    const bool is_narrow = options->op || options->type || file_of_learner(judgement->request) ||
                           options->group.count > 0;
    const bool takes_all_turns = is_narrow || (tries_widths && own == step->variants);
    for (; *next && !is_over(judgement); next++) {
        const struct pairing *pairing = find_pairing(*next);
        problem.operation = *next;
        if (tries_widths)
            problem.geometry.width = pairing->width;
        if (takes_all_turns || pairing->turn == EACH_TURN || (pairing->turn + turn) % 3 == 0)
            check_group_sizes(judgement, problem, pairing->group_sizes, true);
    }
}

/* The first test of a learner's kernel: Oclgrind sees what may not change the result on this
 * device. False: there is a mistake, and more tests would only show its effects. Oclgrind compiles
 * and runs some kernels that the device refuses, so the device compiles the kernel first. */
static bool check_inside_oclgrind(struct judgement *judgement)
{
    static const uint64_t usual_sizes[] = { 64, 100, 256, 1024, 1, 0 };
    struct finding finding = { .sentence = "the device cannot use the kernel" };
    // A full group of the largest size, and one that is nearly empty; after the last whole vector
    // of any width as many elements as possible.
    enum { N = 1039 };
    const struct numbers *given = &judgement->request->options->group;
    (void)group_size_fits(judgement, judgement->request->first, 0);
    const struct kernel *kernel = judgement->reduction.kernel;
    const enum answer answer =
        kernel && !kernel->kernel
            ? ANSWER_NONE
            : ask_in_advance(judgement->request, N, given->count ? given->value : usual_sizes,
                             &finding);
    const bool is_unknown = answer == ANSWER_NONE, failed = answer == ANSWER_FINDING;
    judgement->tests++;
    judgement->failures += failed;
    judgement->skips += is_unknown;
    if (prints_tap)
        printf("%s %d - Oclgrind: no work-item leaves the arrays, misses a barrier, or races%s%s\n",
               failed ? "not ok" : "ok", judgement->tests, is_unknown ? " # SKIP " : "",
               is_unknown ? finding.sentence : "");
    if (!failed)
        return true;
    print_finding(&finding, prints_tap ? "# " : "WRONG: ", mark());
    return false;
}

/* For people: one line if all is right. A wrong kernel has been explained. */
static void print_judgement(const struct judgement *judgement, const char *what)
{
    const int passed = judgement->tests - judgement->skips;
    if (judgement->failures > 0 && judgement->has_shown_log)
        return; // it does not compile, whatever the data are
    if (judgement->failures > 0)
        printf("  --seed %" PRIu64 " repeats this data\n", judgement->request->options->seed);
    else if (!judgement->compiles)
        printf("skipped: %s\n", judgement->why_skipped);
    else
        printf("right: %s passes %d test%s%s\n", what, passed, passed == 1 ? "" : "s",
               judgement->skips ? "; --tap shows what was skipped" : "");
}

int check_combinations(struct request *request)
{
    const struct options *options = request->options;
    const struct variant **variants = request->variants;
    const char *file = file_of_learner(request);
    struct problem problem = request->first;
    struct judgement judgement = { .request = request };
    problem.geometry.group_size = 0; // check_group_sizes() tries several
    if (prints_tap)
        printf("# --seed %" PRIu64 " repeats this data\n", options->seed);
    if (prints_tap && file)
        printf("# %s replaces the kernel of variant %s; --variant names another\n",
               shown_name(file), variants[0]->name);
    const bool exists = file && access(file, R_OK) == 0; // or a plan says so
    const bool is_valid = !exists || check_inside_oclgrind(&judgement);
    for (int v = 0; is_valid && variants[v] && !is_over(&judgement); v++) {
        const uint64_t *group_sizes = all_group_sizes;
        for (int earlier = 0; earlier < v; earlier++)
            if (variants[v]->kernel && variants[earlier]->kernel &&
                strcmp(variants[earlier]->kernel, variants[v]->kernel) == 0)
                group_sizes = usual_group_size;
        problem.variant = variants[v];
        judgement.is_last_variant = !variants[v + 1];
        for (int width = 0; width == 0 || width < options->width.count; width++) {
            problem.geometry.width = (int)options->width.value[width];
            check_variant(&judgement, problem, group_sizes);
        }
    }
    if (judgement.has_shown_log && judgement.compiles)
        printf("%sto check only this: --op %s --type %s\n", mark(), judgement.compiles->op,
               judgement.compiles->type);
    release_reduction(&judgement.reduction); // may crash if the kernel has written out of bounds
    if (prints_tap)
        printf("1..%d\n", judgement.tests);
    else
        print_judgement(&judgement, file ? shown_name(file) : request->step->name);
    if (is_valid && !judgement.compiles && (file || !prints_tap)) // no result has been compared
        return judgement.failures ? STATUS_SETUP : STATUS_UNSUPPORTED;
    return judgement.failures ? STATUS_WRONG : STATUS_RIGHT;
}
