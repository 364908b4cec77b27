/* Where every program begins: what its command line asks for, from the one struct that its main
 * hands over. */
#include "step.h"

#include "check/races.h"
#include "data_file.h"
#include "limit.h"
#include "report.h"
#include "session.h"
#include "watch.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION "1.0"

/* Every plan of a call goes through here, so that an option that no plan ever asks for is noticed,
 * and who watches knows what is run. */
bool session_plan(struct session *session, struct run *run, const struct variant *variant,
                  const struct operation *operation, const struct input *input,
                  struct geometry wanted)
{
    const char *kernel = session->kernel[0] ? session->kernel : variant->kernel;
    *run = (struct run) { .device = &session->device,
                          .operation = operation,
                          .variant = variant,
                          .elements = input->elements };
    struct task task = { .n = input->elements.count,
                         .group = wanted.group,
                         .groups = wanted.groups };
    snprintf(task.device, sizeof task.device, "%d", session->device.number);
    snprintf(task.variant, sizeof task.variant, "%s", variant->name);
    snprintf(task.op, sizeof task.op, "%s", operation->op);
    snprintf(task.type, sizeof task.type, "%s", operation->type);
    watch_task(&task); // to plan is to compile: even that may crash
    watch_begin();
    bool planned = plan_make(run, &session->kernels, kernel, session->back_end, wanted);
    watch_end();
    session->planned |= planned;
    session->asked |= run->plan->asked;
    return planned;
}

const char *session_unused(const struct session *session)
{
    const struct options *options = session->options;
    const unsigned asked = session->asked;
    return options->group.count && !(asked & ASKED_GROUP)     ? "--group"
           : options->groups.count && !(asked & ASKED_GROUPS) ? "--groups"
           : options->width.count && !(asked & ASKED_WIDTH)   ? "--width"
           : options->sub_groups && !(asked & ASKED_LANES)    ? "--subgroups"
           : options->kernel && !(asked & ASKED_KERNEL)       ? "--kernel"
                                                              : NULL;
}

/* What do the chosen plans ask for? */
static void try_plans(struct session *session, const struct variant *const *variants,
                      const struct operation *operation)
{
    const struct options *options = session->options;
    struct input input =
        input_make(&session->device, &session->kernels, operation, (struct data) { .n = 1 });
    for (; *variants; variants++) {
        struct run run;
        struct geometry wanted = { options->group.count ? options->group.value[0] : 0,
                                   options->groups.value[0], options->force,
                                   (int)options->width.value[0] };
        session_plan(session, &run, *variants, operation, &input, wanted);
        plan_release(&run);
    }
    input_release(&input);
}

/* An option that no plan asks for is a mistake, and said before anything is run or written. Where
 * nothing can run here, that reason is worth more. */
static void refuse_unused(const struct session *session)
{
    const struct options *options = session->options;
    if (session->planned && session_unused(session))
        fail("%s: %s has no use for it here", session_unused(session), session->step->name);
    if (options->check &&
        (options->out || options->warm || options->evict.count || options->repetitions.count))
        fail("--check times nothing: --out, --warm, --evict and --reps have no use beside it");
    if (options->warm && options->evict.count)
        fail("--warm and --evict contradict each other: give one of them");
    if (options->repetitions.value[0] > 1000000)
        fail("--reps %" PRIu64 ": must be at most 1000000", options->repetitions.value[0]);
}

/* --variants: each with its kernel file and its names in the articles. */
static int print_variants(const struct step *step)
{
    for (const struct variant *variant = step->variants; variant->name; variant++)
        printf("%-14s %-24s %s\n", variant->name, variant->kernel ? variant->kernel : "-",
               variant->article ? variant->article : "");
    return 0;
}

/* What --variant names: one, or all; without it the main one, or with --check all. A learner's
 * kernel is the main variant's unless it is said otherwise. NULL ends the list. */
static void choose_variants(const struct step *step, const struct options *options,
                            const struct variant **chosen)
{
    bool all = options->variant ? strcmp(options->variant, "all") == 0
                                : options->check && !options->kernel;
    int found = 0;
    for (const struct variant *variant = step->variants; variant->name; variant++) {
        bool main_one = !options->variant && variant == step->variants;
        if (all || main_one || (options->variant && strcmp(options->variant, variant->name) == 0))
            chosen[found++] = variant;
    }
    chosen[found] = NULL;
    if (found == 0)
        fail("--variant %s: no such variant; --variants lists them", options->variant);
}

/* Likewise --op and --type: sum of int, or with --check all that fit. False: nothing does. */
static bool choose_operators(const struct options *options, const struct operation **chosen)
{
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
            chosen[found++] = operations[i];
    }
    if (!known_op)
        fail("--op %s: must be one of %s", op, operator_names());
    if (!known_type)
        fail("--type %s: must be one of %s", type, type_names());
    if (options->uniform &&
        (!type || !operation_find(op, type) || !operation_find(op, type)->rounds))
        fail("--uniform: is for sums of float only: say --type float, and no other --op than sum");
    if (!options->check) {
        chosen[0] = operation_find(op, type);
        found = chosen[0] != NULL;
    }
    chosen[found] = NULL;
    return found > 0;
}

/* There is such an operator and such a type, but not together. */
static int no_such_operation(const struct options *options)
{
    const char *op = options->op ? options->op : operations[0]->op;
    char text[200] = "";
    for (int i = 0; operations[i]; i++)
        if (strcmp(operations[i]->op, op) == 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "",
                     operations[i]->type);
    if (options->check)
        return printf("1..0 # SKIP no %s of %s: %s has %s\n", op, options->type, op, text), 0;
    fprintf(stderr, "%s: no %s of %s: %s has %s\n", program_name, op, options->type, op, text);
    return EXIT_UNSUPPORTED;
}

/* All that the command line asks for and that needs a device. */
struct request {
    const struct step *step;
    const struct options *options;
    const struct variant *variants[17];
    const struct operation *chosen[64];
};

/* Numbers that the device has a word in: before anything is run or predicted. */
static void refuse_too_large(const struct device *device, const struct request *request)
{
    const struct options *options = request->options;
    for (int i = 0; i < options->group.count; i++)
        if (options->group.value[i] > device->group_limit)
            fail("--group %" PRIu64 ": this device has groups of at most %zu",
                 options->group.value[i], device->group_limit);
    for (int i = 0; i < options->n.count; i++)
        input_must_fit(device, request->chosen[0], options->n.value[i]);
}

/* In a process of its own, as a kernel may take it down: watch.c looks on. */
static int work(void *about)
{
    const struct request *request = about;
    const struct options *options = request->options;
    struct session session = { .step = request->step,
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

    if (!options->races) { // there is only one plan in the run that Oclgrind watches: see races.c
        try_plans(&session, request->variants, request->chosen[0]);
        refuse_unused(&session);
    }
    int status = options->check ? check(&session, request->variants, request->chosen)
                                : time_variants(&session, request->variants, request->chosen[0]);
    if (options->races)
        refuse_unused(&session);
    kernels_release(&session.kernels);
    device_close(&session.device);
    return status;
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
    choose_variants(step, &options, request.variants);
    if (!choose_operators(&options, request.chosen))
        return no_such_operation(&options);
    if (options.seed.value[0] > UINT32_MAX)
        fail("--seed %" PRIu64 ": must be below 2^32", options.seed.value[0]);
    if (races_watched())
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
