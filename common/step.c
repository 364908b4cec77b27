/* Where every program begins: what its command line asks for, from the one struct that its main hands over. */
#include "step.h"

#include "limit.h"
#include "races.h"
#include "report.h"
#include "session.h"
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERSION "1.0"

/* Every plan of a call goes through here, so that an option that no plan ever asks for is noticed. */
bool session_plan(struct session *session, struct run *run, const struct variant *variant,
                  const struct operation *operation, const struct input *input, struct geometry wanted)
{
    const char *kernel = session->kernel[0] ? session->kernel : variant->kernel;
    *run = (struct run) {
        .device = &session->device, .operation = operation, .variant = variant, .elements = input->elements
    };
    bool planned = plan_make(run, &session->kernels, kernel, session->back_end, wanted);
    session->used_group |= run->plan->used_group;
    session->used_groups |= run->plan->used_groups;
    session->used_lanes |= run->plan->used_lanes;
    session->used_kernel |= run->plan->used_kernel;
    return planned;
}

const char *session_unused(const struct session *session)
{
    const struct options *options = session->options;
    return options->group.count && !session->used_group     ? "--group"
           : options->groups.count && !session->used_groups ? "--groups"
           : options->sub_groups && !session->used_lanes    ? "--subgroups"
           : options->kernel && !session->used_kernel       ? "--kernel"
                                                            : NULL;
}

/* What do the chosen plans ask for? False: nothing of it can run here, and that reason is worth more than what nobody
 * asked for. */
static bool try_plans(struct session *session, const struct variant *const *variants, const struct operation *operation)
{
    const struct options *options = session->options;
    struct input input = input_make(&session->device, &session->kernels, operation, (struct data) { .n = 1 });
    bool planned = false;
    for (; *variants; variants++) {
        struct run run;
        struct geometry wanted = { options->group.count ? options->group.value[0] : 0, options->groups.value[0],
                                   options->force };
        planned |= session_plan(session, &run, *variants, operation, &input, wanted);
        plan_release(&run);
    }
    input_release(&input);
    return planned;
}

/* An option that none of them asks for is a mistake, and said before anything is run or written. */
static void refuse_unused(const struct session *session, bool planned)
{
    const struct options *options = session->options;
    if (planned && session_unused(session))
        fail("%s: %s has no use for it here", session_unused(session), session->step->name);
    if (options->check && (options->out || options->warm || options->evict.count || options->repetitions.count))
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
        printf("%-14s %-24s %s\n", variant->name, variant->kernel, variant->article ? variant->article : "");
    return 0;
}

/* What --variant names: one, or all; without it the main one, or with --check all. NULL ends the list. */
static void choose_variants(const struct step *step, const struct options *options, const struct variant **chosen)
{
    bool all = options->variant ? strcmp(options->variant, "all") == 0 : options->check;
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
    const char *op = options->uniform && !options->op ? "sum" : options->op, *type = options->type;
    bool known_op = !op, known_type = !type;
    int found = 0;
    for (int i = 0; operators[i]; i++) {
        bool op_fits = !op || strcmp(op, operators[i]->op) == 0;
        bool type_fits = !type || strcmp(type, operators[i]->type) == 0;
        known_op |= op_fits;
        known_type |= type_fits;
        if (op_fits && type_fits)
            chosen[found++] = operators[i];
    }
    if (!known_op)
        fail("--op %s: must be sum, min, max, argmin, argmax or hash", op);
    if (!known_type)
        fail("--type %s: must be int, uint, long, ulong, float or double", type);
    if (options->uniform && !(type && strcmp(op, "sum") == 0 && strcmp(type, "float") == 0))
        fail("--uniform: is for sums of float only: say --type float, and no other --op than sum");
    if (!options->check) {
        chosen[0] = operator_find(op ? op : "sum", type ? type : "int");
        found = chosen[0] != NULL;
    }
    chosen[found] = NULL;
    return found > 0;
}

/* There is such an operator and such a type, but not together. */
static int no_such_operation(const struct options *options)
{
    const char *op = options->op ? options->op : "sum";
    char text[200] = "";
    for (int i = 0; operators[i]; i++)
        if (strcmp(operators[i]->op, op) == 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", operators[i]->type);
    if (options->check)
        return printf("1..0 # SKIP no %s of %s: %s has %s\n", op, options->type ? options->type : "int", op, text), 0;
    fprintf(stderr, "%s: no %s of %s: %s has %s\n", program_name, op, options->type ? options->type : "int", op, text);
    return EXIT_UNSUPPORTED;
}

/* What a kernel can do to the runtime, and so to this program: write where nothing is its own, or never come back. */
static void tell(int signal)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    while (signal != SIGALRM && atomic_flag_test_and_set(&told))
        pause(); // another thread of the runtime is telling already, and ends all
    const char *line = signal == SIGALRM
                           ? ": no result for 100 s: do all work-items reach each barrier? --races says where not\n"
                           : ": the OpenCL runtime crashed: does the kernel write out of bounds? --races says where\n";
    (void)!write(STDERR_FILENO, program_name, strlen(program_name));
    (void)!write(STDERR_FILENO, line, strlen(line));
    if (signal != SIGALRM)
        _exit(EXIT_WRONG);
}

static int run_step(int argc, char **argv, const struct step *step)
{
    const struct options options = options_parse(argc, argv);
    if (options.help)
        return 0;
    if (options.version)
        return printf("%s (%s) " VERSION "\n", program_name, step->name), 0;
    if (options.list)
        return device_print_list(options.device), 0;
    if (options.variants)
        return print_variants(step);

    // Everything that can be said without a device has been said: from here on one is held.
    const struct variant *variants[17];
    const struct operation *chosen[64];
    choose_variants(step, &options, variants);
    if (!choose_operators(&options, chosen))
        return no_such_operation(&options);
    if (options.races && !races_watched())
        return races(&options, variants);
    struct session session = { .step = step, .options = &options, .device = device_open(options.device) };
    session.kernels.device = &session.device;
    for (int i = 0; i < options.group.count; i++)
        if (options.group.value[i] > session.device.group_limit)
            fail("--group %" PRIu64 ": this device has groups of at most %zu", options.group.value[i],
                 session.device.group_limit);
    for (int i = 0; i < options.n.count; i++) // before anything is run or predicted
        input_must_fit(&session.device, chosen[0], options.n.value[i]);
    if (options.seed.value[0] > UINT32_MAX)
        fail("--seed %" PRIu64 ": must be below 2^32", options.seed.value[0]);
    if (options.kernel) // a plain name is a file of this folder, not one of kernels/
        snprintf(session.kernel, sizeof session.kernel, "%s%s", strchr(options.kernel, '/') ? "" : "./",
                 options.kernel);
    session.back_end = back_end_choose(&session.device, options.sub_groups);
    const struct sigaction telling = { .sa_handler = tell }; // it stays: two threads may crash at a time
    for (const int *each = (const int[]) { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM, 0 }; *each; each++)
        sigaction(*each, &telling, NULL); // not before: some runtimes have put handlers of their own there by now

    if (!options.races) // there is only one plan in that run: see races.c
        refuse_unused(&session, try_plans(&session, variants, chosen[0]));
    int status = options.check ? check(&session, variants, chosen) : time_variants(&session, variants, chosen[0]);
    if (options.races)
        refuse_unused(&session, true);
    kernels_release(&session.kernels);
    device_close(&session.device);
    return status;
}

int step_main(int argc, char **argv, const struct step *step)
{
    static char name[32];
    if (step->number > 0)
        snprintf(name, sizeof name, "step%02d", step->number);
    else // a peer from outside the ladder
        snprintf(name, sizeof name, "peer_%s", step->name);
    program_name = name;
    int status = run_step(argc, argv, step);
    output_must_be_whole();
    return status;
}
