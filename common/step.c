/* Where every step begins: what its command line asks for is chosen, refused, or handed to a
 * process of its own, which checks or times it.
 */
#include "step.h"

#include "check/check.h"
#include "check/diagnose.h"
#include "check/races.h"
#include "check/watch.h"
#include "rows.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define VERSION "1.0"

/* All that the command line asks for and that needs a device. */
struct request {
    const struct step *step;
    const struct options *options;
    const struct variant *variants[17]; // NULL ends either list
    const struct operation *operations[64];
};

/* What --variant names: one, or all; without it the main one, or with --check all. A learner's
 * kernel is the main variant's unless it is said otherwise. */
static void choose_variants(struct request *request)
{
    const struct options *options = request->options;
    const char *name = options->variant                     ? options->variant
                       : options->check && !options->kernel ? "all"
                                                            : request->step->variants->name;
    int found = 0;
    for (const struct variant *variant = request->step->variants; variant->name; variant++)
        if (strcmp(name, "all") == 0 || strcmp(name, variant->name) == 0)
            request->variants[found++] = variant;
    if (found == 0)
        fail("--variant %s: no such variant; --variants lists them", name);
}

/* Likewise --op and --type: sum of int, or with --check all that fit. False: there are such, but
 * not together. */
static bool choose_operations(struct request *request)
{
    const struct options *options = request->options;
    const char *op = options->uniform && !options->op ? operations[0]->op : options->op,
               *type = options->type;
    bool known_op = !op, known_type = !type;
    int found = 0;
    for (int i = 0; operations[i]; i++) {
        bool op_fits = !op || strcmp(op, operations[i]->op) == 0;
        bool type_fits = !type || strcmp(type, operations[i]->type) == 0;
        known_op |= op_fits;
        known_type |= type_fits;
        if (op_fits && type_fits)
            request->operations[found++] = operations[i];
    }
    if (!known_op)
        fail("--op %s: must be one of %s", op, operator_names());
    if (!known_type)
        fail("--type %s: must be one of %s", type, type_names());
    if (options->uniform &&
        (!type || !operation_find(op, type) || !operation_find(op, type)->rounds))
        fail("--uniform: is for sums of float only: say --type float, and no other --op than sum");
    if (!options->check) // the first that fits
        request->operations[1] = NULL;
    return found > 0;
}

static int no_such_operation(const struct options *options)
{
    const char *op = options->op ? options->op : operations[0]->op, *separator = "";
    char text[300];
    int length = snprintf(text, sizeof text, "no %s of %s: %s has ", op, options->type, op);
    for (int i = 0; operations[i]; i++) {
        if (strcmp(operations[i]->op, op) == 0) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%s", separator,
                               operations[i]->type);
            separator = ", ";
        }
    }
    if (options->check)
        return printf("1..0 # SKIP %s\n", text), 0;
    return fprintf(stderr, "%s: %s\n", program_name, text), EXIT_UNSUPPORTED;
}

/* An option that no plan asks for is a mistake, and said before anything is run or written. Where
 * nothing can run here, that reason is worth more. */
static void refuse_unused(const struct session *session)
{
    const struct options *options = session->options;
    const struct {
        const char *name;
        bool given;
        unsigned asked;
    } all[] = { { "--group", options->group.count > 0, ASKED_GROUP },
                { "--groups", options->groups.count > 0, ASKED_GROUPS },
                { "--width", options->width.count > 0, ASKED_WIDTH },
                { "--subgroups", options->sub_groups != NULL, ASKED_LANES },
                { "--kernel", options->kernel != NULL, ASKED_KERNEL } };
    for (size_t i = 0; i < sizeof all / sizeof *all && session->planned; i++)
        if (all[i].given && !(session->asked & all[i].asked))
            fail("%s: %s has no use for it here", all[i].name, session->name);
    if (options->check &&
        (options->out || options->warm || options->evict.count || options->repetitions.count))
        fail("--check times nothing: --out, --warm, --evict and --reps have no use beside it");
    if (options->warm && options->evict.count)
        fail("--warm and --evict contradict each other: give one of them");
    if (options->repetitions.value[0] > 1000000)
        fail("--reps %" PRIu64 ": must be at most 1000000", options->repetitions.value[0]);
}

/* Numbers that the device has a word in: before anything is run or predicted. */
static void refuse_too_large(const struct device *device, const struct request *request)
{
    const struct options *options = request->options;
    for (int i = 0; i < options->group.count; i++)
        if (options->group.value[i] > device->group_limit)
            fail("--group %" PRIu64 ": this device has groups of at most %zu",
                 options->group.value[i], device->group_limit);
    for (int i = 0; i < options->n.count; i++)
        input_must_fit(device, request->operations[0], options->n.value[i]);
}

static int time_all(struct session *session, const struct request *request)
{
    const bool alone = !request->variants[1];
    struct rows rows = rows_open(session, request->operations[0], alone);
    int status = 0;
    for (int i = 0; request->variants[i]; i++) {
        struct failure failure;
        int one = rows_of(&rows, request->variants[i], &failure);
        if (one == EXIT_WRONG) {
            printf("WRONG: %s at n = %" PRIu64 ": %s\n", request->variants[i]->name,
                   failure.trial.n, failure.why);
            // the diagnosis tries it as another operation
            session->kernels.forgiving = session->kernels.log_shown = true;
            diagnose(session, &failure.trial, failure.why, "  ");
        }
        if (one == EXIT_WRONG || (one && alone))
            status = one;
    }
    rows_close(&rows);
    return status;
}

/* In a process of its own, as a kernel may take it down: check/watch.c looks on. */
static int work(void *about)
{
    const struct request *request = about;
    const struct options *options = request->options;
    struct session session = { .number = request->step->number,
                               .compared_with = request->step->compared_with,
                               .name = request->step->name,
                               .main = request->step->variants,
                               .options = options,
                               .device = device_open(options->device) };
    session.kernels.device = &session.device;
    session.kernels.forgiving = options->check && options->kernel && !options->races;
    session.back_end = back_end_choose(&session.device, options->sub_groups);
    if (options->facts) {
        report_facts(&session.device, &session.back_end);
        device_close(&session.device);
        return 0;
    }
    refuse_too_large(&session.device, request);
    if (options->kernel) // a plain name is a file of this folder, not one of kernels/
        snprintf(session.kernel, sizeof session.kernel, "%s%s",
                 strchr(options->kernel, '/') ? "" : "./", options->kernel);
    // Some runtimes have put handlers of their own there by now; a crash is to end this process.
    for (const int *each = (const int[]) { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, 0 }; *each; each++)
        signal(*each, SIG_DFL);

    for (int i = 0; request->variants[i] && !options->races; i++) // what do the plans ask for?
        session_try(&session, &(struct trial) { request->variants[i], request->operations[0],
                                                session_geometry(&session, 0, 0) });
    if (!options->races) // there is only one plan in the run that Oclgrind watches: see races.c
        refuse_unused(&session);
    int status = options->races   ? check_once(&session, *request->variants, *request->operations)
                 : options->check ? check(&session, request->variants, request->operations)
                                  : time_all(&session, request);
    if (options->races)
        refuse_unused(&session);
    kernels_release(&session.kernels);
    device_close(&session.device);
    return status;
}

/* --variants: each with its kernel file and its names in the articles. */
static int print_variants(const struct step *step)
{
    for (const struct variant *variant = step->variants; variant->name; variant++)
        printf("%-14s %-24s %s\n", variant->name, variant->kernel ? variant->kernel : "-",
               variant->article ? variant->article : "");
    return 0;
}

static int run_step(int argc, char **argv, const struct step *step)
{
    const struct options options = options_parse(argc, argv);
    struct request request = { .step = step, .options = &options };
    if (options.help)
        return 0;
    if (options.version)
        return printf("%s (%s) " VERSION "\n", program_name, step->name), 0;
    if (options.list)
        return device_print_list(options.device), 0;
    if (options.variants)
        return print_variants(step);

    // Everything that can be said without a device has been said: from here on one is held.
    choose_variants(&request);
    if (!choose_operations(&request))
        return no_such_operation(&options);
    if (options.seed.value[0] > UINT32_MAX)
        fail("--seed %" PRIu64 ": must be below 2^32", options.seed.value[0]);
    if (races_inside())
        return work(&request);
    if (options.races)
        return races(&options, request.variants);
    if (options.out)
        data_folder(options.out);
    return watched(&options, work, &request);
}

int step_main(int argc, char **argv, const struct step *step)
{
    static char name[32];
    if (step->number > 0)
        snprintf(name, sizeof name, "step%02d", step->number);
    else // a peer from outside the ladder
        snprintf(name, sizeof name, "peer_%s", step->name);
    program_name = name;
    leave(run_step(argc, argv, step));
}
