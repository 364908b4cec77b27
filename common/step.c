/* Where every step begins: what its command line asks for is chosen, refused, or handed to a
 * process of its own, which checks or times it.
 */
#include "step.h"

#include "check/check.h"
#include "check/diagnose.h"
#include "check/races.h"
#include "check/watch.h"
#include "timing/data_file.h"
#include "timing/report.h"
#include "timing/rows.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* What --variant names. Without it the main one, as which a learner's kernel is judged; with
 * --check all. */
static void choose_variants(struct session *session)
{
    const struct options *options = session->options;
    const struct variant *variant = session->step->variants;
    const char *usual = options->check && !options->kernel ? "all" : variant->name,
               *name = options->variant ? options->variant : usual;
    int found = 0;
    for (; variant->name; variant++)
        if (strcmp(name, "all") == 0 || strcmp(name, variant->name) == 0)
            session->variants[found++] = variant;
    if (found == 0)
        fail("--variant %s: no such variant; --variants lists them", name);
}

/* Likewise --op and --type: the first that fits, sum of int; with --check all that fit. */
static void choose_operations(struct session *session)
{
    const struct options *options = session->options;
    const char *op = options->op, *type = options->type;
    int found = 0;
    const struct operation *own = session->step->operation;
    if (own) {
        if ((op && strcmp(op, own->op) != 0) || (type && strcmp(type, own->type) != 0))
            fail("--op, --type: %s has %s of %s only", session->step->name, own->op, own->type);
        session->operations[0] = own;
        return;
    }
    if (!operation_find(op, NULL))
        fail("--op %s: must be one of %s", op, operation_names(NULL));
    if (!operation_find(NULL, type))
        fail("--type %s: must be one of %s", type, operation_names(operations[0]->op));
    for (int i = 0; operations[i] && (options->check || found == 0); i++)
        if (operation_find(op ? op : operations[i]->op, type ? type : operations[i]->type) ==
                operations[i] &&
            (!options->uniform || operations[i] == operation_find("sum", "float")))
            session->operations[found++] = operations[i];
    if (found == 0 && options->uniform)
        fail("--uniform: is for --op sum and --type float only");
}

/* One trial, and no row. */
static int check_only(struct session *session)
{
    int status = check_trial(session, &session->only);
    if (status == EXIT_UNSUPPORTED && !session->options->group.count) { // nobody asked for that one
        session->only.geometry.group = 0;
        status = check_trial(session, &session->only);
    }
    if (status == EXIT_UNSUPPORTED || status == EXIT_WRONG)
        fprintf(stderr, "%s: %s\n", status == EXIT_WRONG ? "WRONG" : "not under Oclgrind",
                session->run.reason);
    return status;
}

/* On a device: first what it or the plans refuse, before anything is run or written. */
static int on_device(struct session *session)
{
    const struct options *options = session->options;
    if (options->facts)
        return report_facts(&session->device, &session->back_end), 0;
    for (int i = 0; i < options->group.count; i++)
        if (options->group.value[i] > session->device.group_limit)
            fail("--group %" PRIu64 ": this device has groups of at most %zu",
                 options->group.value[i], session->device.group_limit);
    for (int i = 0; i < options->n.count; i++)
        input_must_fit(&session->device, session->operations[0], options->n.value[i]);
    // What do the plans ask for? Under Oclgrind, and after a crash, there is one trial, and one
    // plan.
    const bool only = session->only.variant != NULL;
    const int status = only ? check_only(session) : 0;
    for (int i = 0; session->variants[i] && !only; i++)
        session_plan(session, &(struct trial) { session->variants[i], session->operations[0],
                                                session_geometry(session, 0) });
    if (session->planned) // where nothing can run here, that reason is worth more
        options_refuse(options, session->asked | TIMING | DATA, session->step->name);
    if (options->out)
        data_folder(options->out);
    if (only)
        return status;
    return options->check ? check(session) : print_rows(session, diagnose);
}

/* In a process of its own, as a kernel may take it down: check/watch.c looks on. */
static int work(void *about)
{
    struct session *session = about;
    const struct options *options = session->options;
    session->device = device_open(options->device);
    if (options->check && options->kernel && !options->races)
        session->device.kernels->if_broken = SHOW_LOG;
    session->back_end = back_end_choose(&session->device, options->sub_groups);
    // Some runtimes have put handlers of their own there by now; a crash is to end this process.
    for (const int *crash = (const int[]) { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, 0 }; *crash; crash++)
        signal(*crash, SIG_DFL);
    if (options->kernel) // a plain name is a file of this folder, not one of kernels/
        snprintf(session->kernel, sizeof session->kernel, "%s%s",
                 strchr(options->kernel, '/') ? "" : "./", options->kernel);
    const int status = on_device(session);
    session_release(session);
    kernels_release(&session->device);
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
        return options_help(), 0;
    if (options.version)
        return printf("%s (%s) 1.0\n", program_name, step->name), 0;
    if (options.list)
        return device_print_list(options.device), 0;
    if (options.variants)
        return print_variants(step->variants), 0;

    choose_variants(&session);
    choose_operations(&session);
    if (!session.operations[0]) {
        fprintf(options.check ? stdout : stderr, "%s: %s has %s\n",
                options.check ? "1..0 # SKIP" : program_name, options.op,
                operation_names(options.op));
        return options.check ? 0 : EXIT_UNSUPPORTED;
    }
    if (options.races)
        options_refuse(&options, PLANS, "--races");
    if (options.check)
        options_refuse(&options, PLANS | DATA, "--check");
    // Everything that can be said without a device has been said: from here on one is held.
    return options.races ? races(&session, work) : watched(&session, work);
}

int step_main(int argc, char **argv, const struct step *step) { leave(run_step(argc, argv, step)); }
