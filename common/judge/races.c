/* Oclgrind is a simulator that sees every access to memory.
 *
 *   STEP --races             find_races(): for each trial, waits for
 *     python3 oclgrind.py    which reads the log of
 *       oclgrind STEP        check_trial_inside_oclgrind()
 *
 * Each trial has a process of its own, because Oclgrind 21.10 wrongly reports a read of
 * uninitialized memory in a buffer that takes the place of a smaller one. */
#define _DEFAULT_SOURCE // realpath()
#include "races.h"

#include "explain.h"
#include "oclgrind.h"
#include "operations.h"
#include "run.h"
#include "supervise.h"
#include "verify.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The trial of this number. The command line chooses n and the operation. Otherwise five trials are
 * usual: a few groups, the last of them partial; rounds of the largest group; three other
 * operations, because a kernel may use other functions for them. False: there are no more. */
static bool choose_trial(const struct request *request, int number, struct problem *problem)
{
    const struct options *options = request->options;
    const bool any_operation = !options->op && !options->type && !request->step->operation;
    const struct numbers usual = { { 5000, 20000, 1000, 1000, 1000 }, any_operation ? 5 : 2 },
                         *sizes = options->n.count ? &options->n : &usual;
    const int geometries = request->geometry_count, size = number / geometries % sizes->count;
    *problem = (struct problem) { request->variants[number / geometries / sizes->count],
                                  request->operations[0],
                                  sizes->value[size],
                                  request->geometries[number % geometries],
                                  request->kernel_file,
                                  options->sub_groups,
                                  options->force };
    if (sizes == &usual && size == 1 && !options->group.count)
        problem->geometry.group_size = 1024; // or the plan's own, if that does not fit
    if (sizes == &usual && size >= 2)
        problem->operation = size == 2   ? find_operation("min", "float")
                             : size == 3 ? find_operation("max", "double")
                                         : find_operation("max", "int");
    return problem->variant != NULL;
}

/* The current trial, for start_oclgrind(), which run_in_child() calls. */
static struct problem trial;

/* Becomes oclgrind.py. Returns only if that fails. */
static int start_oclgrind(struct request *request)
{
    const struct options *options = request->options;
    enum { FEW_ELEMENTS = 5000 }; // which take Oclgrind about four seconds of processor time
    const bool is_upper_limit = trial.geometry.group_size && !options->group.count;
    const bool is_other = trial.operation != request->operations[0];
    char place[80], operation[80] = "";
    char head[250]; // "STEP associative at n = 20000, groups of 1024 at most, min of float"
    const char *words[128] = { "python3", path_beside_program("common/judge/oclgrind.py"),
                               "report",  head,
                               "sum",     "0" };
    int count = 6;
    progress->problem = trial;
    print_place(place);
    if (is_other)
        snprintf(operation, sizeof operation, ", %s of %s", trial.operation->op,
                 trial.operation->type);
    snprintf(head, sizeof head, "%s %s%s%s%s", program_name, trial.variant->name, place,
             is_upper_limit ? " at most" : "", operation);
    if (trial.operation->has_extreme)
        words[4] = is_other ? "another extreme" : "extreme";
    words[5] = trial.n <= FEW_ELEMENTS ? "20" : "0"; // a kernel that never ends is noticed soon
    for (char **given = options->words; *given && count < 126; given++) {
        words[5] = strncmp(*given, "--timeout", strlen("--timeout")) == 0 ? "0" : words[5];
        words[count++] = *given;
    }
    words[6] = realpath("/proc/self/exe", NULL); // this program
    words[count] = "--device=";                  // Oclgrind has one device
    unsetenv("REDUCE_DEVICE");
    execvp(words[0], (char *const *)words);
    fprintf(stderr, "%s: --races: python3 cannot be started\n", program_name);
    return STATUS_SETUP;
}

/* Verifies one trial. */
static enum status verify_trial(struct reduction *reduction, struct request *request,
                                struct problem problem)
{
    const struct options *options = request->options;
    const uint32_t seed = (uint32_t)options->seed.value[0];
    enum status status = verify_problem(reduction, request->device, &problem, seed);
    // The usual 1024 does not fit, or the kernel requires a size of its own.
    if (status == STATUS_UNSUPPORTED && (!options->group.count || !getenv(TRIAL_VARIABLE))) {
        problem.geometry.group_size = 0;
        status = verify_problem(reduction, request->device, &problem, seed);
    }
    return status;
}

int check_trial_inside_oclgrind(struct request *request)
{
    static struct reduction reduction; // too large for the stack
    const char *number = getenv(TRIAL_VARIABLE);
    const int first = number ? atoi(number) : 0;
    enum status worst = STATUS_UNSUPPORTED; // a wrong trial counts more than a right one
    struct problem problem;
    for (int i = first; choose_trial(request, i, &problem); i++) {
        const enum status status = verify_trial(&reduction, request, problem);
        const char *sentence = explain_wrong_value(&reduction);
        if (number && reduction.state == PLAN_READY)
            refuse_unused_options(request->options,
                                  reduction.options_used | USED_FOR_DATA | USED_IN_TIMING,
                                  request->step->name);
        if (status != STATUS_RIGHT)
            fprintf(stderr, "%s%s%s%s\n",
                    status == STATUS_WRONG ? "# wrong: " : "# unsupported: ", reduction.reason,
                    *sentence ? ". " : "", sentence); // for oclgrind.py
        if (status == STATUS_WRONG || worst == STATUS_UNSUPPORTED)
            worst = status;
        fputs("# verified\n", stderr); // for oclgrind.py: the step has run
        if (number)
            break;
    }
    release_reduction(&reduction);
    return worst;
}

int find_races(struct request *request, int (*work)(struct request *request))
{
    const struct options *options = request->options;
    const char *preloaded = getenv("LD_PRELOAD"); // Oclgrind's way into a program
    const struct variant *reported = NULL;
    int worst = STATUS_UNSUPPORTED; // a wrong trial counts more than a right one
    if (preloaded && strstr(preloaded, "oclgrind")) {
        const char *parent = getenv("REDUCE_PARENT"); // oclgrind.py, with which this process ends
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (parent && atoi(parent) != getppid()) // it has ended already
            return STATUS_SETUP;
        request->watch = WATCH_SIMULATED;
        return work(request);
    }
    if (options->device) { // refuses a wrong name, although Oclgrind has a device of its own
        struct device device = open_device(options->device);
        close_device(&device);
    }
    if (system("command -v oclgrind >/dev/null && command -v python3 >/dev/null") != 0) {
        fprintf(stderr,
                "%s: --races needs oclgrind and python3: on Debian 12 and Ubuntu `make deps` "
                "installs them; elsewhere build github.com/jrprice/Oclgrind\n",
                program_name);
        return STATUS_UNSUPPORTED;
    }
    for (int i = 0; choose_trial(request, i, &trial); i++) {
        char number[16];
        if (trial.variant == reported) // one finding is enough, unless --n was given
            continue;
        snprintf(number, sizeof number, "%d", i);
        setenv(TRIAL_VARIABLE, number, true);
        const int status = run_in_child(request, start_oclgrind, false);
        if (status < 0)
            fail("--races: python3 was ended by signal %d", -status);
        if (status != STATUS_RIGHT && status != STATUS_WRONG && status != STATUS_UNSUPPORTED)
            return STATUS_SETUP; // its message has been printed
        if (status == STATUS_WRONG || worst == STATUS_UNSUPPORTED)
            worst = status;
        if (status == STATUS_WRONG && !options->n.count)
            reported = trial.variant;
    }
    return worst;
}
