/* Where every step begins: what its command line asks for is chosen, refused, or handed to a
 * process of its own, which checks or times it.
 */
#include "step.h"

#include "check/check.h"
#include "check/diagnose.h"
#include "check/races.h"
#include "check/watch.h"
#include "data_file.h"
#include "report.h"
#include "rows.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define VERSION "1.0"

/* What --variant names: one, or all; without it the main one, or with --check all. A learner's
 * kernel is the main variant's unless it is said otherwise. */
static void choose_variants(struct session *session)
{
    const struct options *options = session->options;
    const char *name = options->variant ? options->variant : session->step->variants->name;
    const bool all =
        options->variant ? strcmp(name, "all") == 0 : options->check && !options->kernel;
    int found = 0;
    for (const struct variant *variant = session->step->variants; variant->name; variant++)
        if (all || strcmp(name, variant->name) == 0)
            session->variants[found++] = variant;
    if (found == 0)
        fail("--variant %s: no such variant; --variants lists them", name);
}

/* Likewise --op and --type: the first that fits, sum of int, or with --check all that fit. */
static void choose_operations(struct session *session)
{
    const struct options *options = session->options;
    const char *op = options->uniform && !options->op ? operations[0]->op : options->op,
               *type = options->type;
    int found = 0;
    if (!operation_find(op, NULL))
        fail("--op %s: must be one of %s", op, operator_names());
    if (!operation_find(NULL, type))
        fail("--type %s: must be one of %s", type, type_names(NULL));
    for (int i = 0; operations[i] && (options->check || found == 0); i++)
        if (operation_find(op ? op : operations[i]->op, type ? type : operations[i]->type) ==
            operations[i])
            session->operations[found++] = operations[i];
    if (options->uniform && session->operations[0] != operation_find("sum", "float"))
        fail("--uniform: is for sums of float only: say --type float, and no other --op than sum");
}

static int no_such_operation(const struct options *options)
{
    if (options->check)
        printf("1..0 # SKIP ");
    else
        fprintf(stderr, "%s: ", program_name);
    fprintf(options->check ? stdout : stderr, "no %s of %s: %s has %s\n", options->op,
            options->type, options->op, type_names(options->op));
    return options->check ? 0 : EXIT_UNSUPPORTED;
}

enum { TIMING = 32, DATA = 64 }; // uses of an option besides the plans': ASKED_GROUP and so on

/* An option that is of no use is a mistake, and said before anything is run or written. */
static void refuse(const struct options *options, unsigned unused, const char *who)
{
    const struct {
        const char *name;
        bool given;
        unsigned use;
    } all[] = { { "--group", options->group.count, ASKED_GROUP },
                { "--groups", options->groups.count, ASKED_GROUPS },
                { "--width", options->width.count, ASKED_WIDTH },
                { "--subgroups", options->sub_groups, ASKED_LANES },
                { "--kernel", options->kernel, ASKED_KERNEL },
                { "--out", options->out, TIMING },
                { "--warm", options->warm, TIMING },
                { "--evict", options->evict.count, TIMING },
                { "--reps", options->repetitions.count, TIMING },
                { "--seed", options->seed.count, DATA },
                { "--uniform", options->uniform, DATA } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].given && (unused & all[i].use))
            fail("%s: %s has no use for it here", all[i].name, who);
}

/* Numbers that the device has a word in: before anything is run or predicted. */
static void refuse_too_large(const struct session *session)
{
    const struct options *options = session->options;
    for (int i = 0; i < options->group.count; i++)
        if (options->group.value[i] > session->device.group_limit)
            fail("--group %" PRIu64 ": this device has groups of at most %zu",
                 options->group.value[i], session->device.group_limit);
    for (int i = 0; i < options->n.count; i++)
        input_must_fit(&session->device, session->operations[0], options->n.value[i]);
}

/* In a process of its own, as a kernel may take it down: check/watch.c looks on. */
static int work(void *about)
{
    struct session *session = about;
    const struct options *options = session->options;
    int status = 0;
    session->device = device_open(options->device);
    session->kernels.device = &session->device;
    if (options->check && options->kernel && !options->races)
        session->kernels.if_broken = SHOW_LOG;
    session->back_end = back_end_choose(&session->device, options->sub_groups);
    if (options->facts) {
        report_facts(&session->device, &session->back_end);
        device_close(&session->device);
        return 0;
    }
    refuse_too_large(session);
    if (options->kernel) // a plain name is a file of this folder, not one of kernels/
        snprintf(session->kernel, sizeof session->kernel, "%s%s",
                 strchr(options->kernel, '/') ? "" : "./", options->kernel);
    // Some runtimes have put handlers of their own there by now; a crash is to end this process.
    for (const int *each = (const int[]) { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, 0 }; *each; each++)
        signal(*each, SIG_DFL);

    // What do the plans ask for? Oclgrind watches only one plan: see races.c.
    for (int i = 0; session->variants[i] && !options->races; i++)
        session_try(session, &(struct trial) { session->variants[i], session->operations[0],
                                               session_geometry(session, 0, 0) });
    if (options->races)
        status = check_once(session);
    if (session->planned) // where nothing can run here, that reason is worth more
        refuse(options, ~session->asked & (TIMING - 1), session->step->name);
    if (!options->races)
        status = options->check ? check(session) : print_rows(session, diagnose);
    kernels_release(&session->kernels);
    device_close(&session->device);
    return status;
}

static void print_variants(const struct variant *variant)
{
    for (; variant->name; variant++)
        printf("%-14s %-24s %s\n", variant->name, variant->kernel ? variant->kernel : "-",
               variant->article ? variant->article : "");
}

static int run_step(int argc, char **argv, const struct step *step)
{
    const struct options options = options_parse(argc, argv);
    struct session session = { .step = step, .options = &options };
    if (options.help)
        return 0;
    if (options.version)
        return printf("%s (%s) " VERSION "\n", program_name, step->name), 0;
    if (options.list)
        return device_print_list(options.device), 0;
    if (options.variants)
        return print_variants(step->variants), 0;

    // Everything that can be said without a device has been said: from here on one is held.
    choose_variants(&session);
    choose_operations(&session);
    if (!session.operations[0])
        return no_such_operation(&options);
    if (options.seed.value[0] > UINT32_MAX)
        fail("--seed %" PRIu64 ": must be below 2^32", options.seed.value[0]);
    if (options.warm && options.evict.count)
        fail("--warm and --evict contradict each other: give one of them");
    if (options.races)
        refuse(&options, TIMING | DATA, "--races, which times nothing and has data of its own,");
    if (options.check)
        refuse(&options, TIMING, "--check, which times nothing,");
    if (races_inside())
        return work(&session);
    if (options.races)
        return races(&session);
    if (options.out)
        data_folder(options.out);
    return watched(&session, work);
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
