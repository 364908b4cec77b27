/* This program solves one problem again, inside Oclgrind:
 *
 *   ask()                                reads an answer and findings from a pipe
 *     python3 oclgrind.py                reads the log of
 *       JUDGE --races inside Oclgrind    verify_inside_oclgrind()
 *
 * Each trial of --races has a process of its own, too, because Oclgrind 21.10 wrongly reports a
 * read of uninitialized memory in a buffer that takes the place of a smaller one. */
#define _GNU_SOURCE // open_memstream(), popen(), realpath()
#include "oclgrind.h"

#include "causes.h"
#include "examine.h"
#include "operations.h"
#include "verify.h"
#include "work.h"
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_SCRIPT "exec setpriv --pdeathsig KILL python3 \"$REDUCE_SCRIPT\""

/* What Oclgrind looks for. A formal race (see oclgrind.py) and a value that no work-item has set
 * are mistakes only if the result is wrong too; the rest is certain. */
enum search { SEARCH_CERTAIN, SEARCH_ALL };

enum { FINDINGS_MAX = 32 };

struct reply { // of oclgrind.py
    enum answer answer;
    struct finding summary; // a name and a sentence for the answer
    struct finding findings[FINDINGS_MAX];
    int count;
};

/* ---- asking */

/* A number of 0 is no argument. */
static void add_number(FILE *to, const char *option, uint64_t number)
{
    if (number)
        fprintf(to, "\n%s=%" PRIu64, option, number);
}

/* Writes the arguments of oclgrind.py, one on each line: no argument has a line break. */
static void write_arguments(FILE *to, const struct request *request, const struct problem *problem,
                            const uint64_t *group_sizes, const char *search, bool is_trial)
{
    enum { LARGEST_GROUP = 1024, FEW_ELEMENTS = 5000 };
    const struct options *options = request->options;
    const struct geometry *geometry = &problem->geometry;
    // Seconds of processor time, so a busy machine does not change an answer.
    int seconds = 5; // of a question, which usually needs two
    double timeout = 600;
    if (is_trial && problem->n <= FEW_ELEMENTS && options->has_usual_timeout) {
        seconds = 20; // of a trial of --races, which usually needs four
    } else if (is_trial) {
        seconds = 0; // none, because --timeout limits each run of a kernel
        timeout = options->timeout;
    }
    // On a busy machine a process may need so many times its processor time.
    const double by_the_clock = fmin(12 * (seconds ? seconds : 10 + timeout), 1e6);
    int sizes = 0; // written so far
    char program[PATH_MAX];
    fprintf(to, "%s\n%d\n%.0f\n%s", search, seconds, by_the_clock,
            realpath("/proc/self/exe", program));
    fprintf(to, "\n--races\n--device=0\n--timeout=%.0f\n--variant=%s", timeout,
            problem->variant->name);
    if (!request->step->operation) // otherwise the step has no other operation
        fprintf(to, "\n--op=%s\n--type=%s", problem->operation->op, problem->operation->type);
    for (; group_sizes && *group_sizes; group_sizes++)
        if (*group_sizes <= LARGEST_GROUP)
            fprintf(to, "%s%" PRIu64, sizes++ ? "," : "\n--group=", *group_sizes);
    if (sizes == 0)
        add_number(to, "--group", geometry->group_size);
    add_number(to, "--n", problem->n);
    add_number(to, "--seed", options->seed);
    add_number(to, "--groups", geometry->groups);
    add_number(to, "--width", (uint64_t)geometry->width);
    if (problem->sub_groups)
        fprintf(to, "\n--subgroups=%s", problem->sub_groups);
    if (file_of_learner(request))
        fprintf(to, "\n%s", file_of_learner(request));
    if (problem->force)
        fputs("\n--force", to);
}

/* Reads what oclgrind.py prints. */
static void read_reply(FILE *from, struct reply *reply)
{
    static const char *const names[] = { "none",         "setup",     "ignored",
                                         "unsupported",  "timeout",   "right",
                                         "wrong_result", "pocl_loop", "finding" }; // of enum answer
    struct finding *summary = &reply->summary, *finding = reply->findings;
    if (fscanf(from, "%31s %999[^\n]%*[^\n]", summary->name, summary->sentence) != 2)
        return;
    while (reply->answer < ANSWER_FINDING && strcmp(names[reply->answer], summary->name) != 0)
        reply->answer++;
    while (reply->count < FINDINGS_MAX &&
           fscanf(from, "%31s %999[^\n]%*[^\n]", finding->name, finding->sentence) == 2) {
        reply->count++;
        finding++;
    }
    if (reply->answer == ANSWER_FINDING && reply->count == 0)
        reply->answer = ANSWER_NONE; // oclgrind.py failed
}

/* Solves the problem inside Oclgrind, in groups of these sizes or of its own. Only a trial keeps a
 * size that the user typed; otherwise the plan chooses one if the size does not fit. */
static struct reply ask(const struct request *request, struct problem problem,
                        const uint64_t *group_sizes, enum search search, bool is_trial)
{
    struct reply reply = { ANSWER_NONE,
                           { "none",
                             "python3, setpriv or Oclgrind is missing or fails: try make deps" },
                           .count = 0 };
    char *arguments = NULL;
    size_t length;
    FILE *to = open_memstream(&arguments, &length);
    if (!to)
        return reply;
    write_arguments(to, request, &problem, group_sizes,
                    search == SEARCH_CERTAIN         ? "certain"
                    : problem.operation->has_extreme ? "extreme"
                                                     : "sum",
                    is_trial);
    (void)fclose(to);
    setenv("REDUCE_ARGUMENTS", arguments, 1);
    setenv("REDUCE_SCRIPT", path_beside_program("common/judge/oclgrind.py"), 1);
    free(arguments);
    (void)fflush(stdout); // oclgrind.py may print a message, too, which must come later
    // --races shows why the program does not start; a question does not.
    const bool is_silent = !is_trial || problem.operation != request->operations[0];
    FILE *from = popen(is_silent ? RUN_SCRIPT " 2>/dev/null" : RUN_SCRIPT, "r");
    if (from) {
        read_reply(from, &reply);
        (void)pclose(from);
    }
    const bool has_size = (group_sizes && *group_sizes) || problem.geometry.group_size,
               must_fit = is_trial && request->options->group.count,
               is_refused = reply.answer == ANSWER_UNSUPPORTED || reply.answer == ANSWER_IGNORED;
    if (!is_refused || !has_size || must_fit)
        return reply;
    problem.geometry.group_size = 0;
    return ask(request, problem, NULL, search, is_trial);
}

/* Oclgrind is slow, so a large problem becomes smaller: a mistake in the memory or in the barriers
 * seldom needs many elements or groups. */
static enum answer ask_about_few(const struct request *request, struct problem problem,
                                 const uint64_t *group_sizes, enum search search,
                                 struct finding *finding)
{
    enum { ELEMENTS = 4992, GROUPS = 2, GROUP_SIZE = 256, WIDEST = 16 };
    struct geometry *geometry = &problem.geometry;
    if (problem.n > ELEMENTS)
        problem.n = ELEMENTS + problem.n % WIDEST; // as many elements after the last whole vector
    geometry->groups = geometry->groups < GROUPS ? geometry->groups : GROUPS;
    geometry->group_size = geometry->group_size < GROUP_SIZE ? geometry->group_size : GROUP_SIZE;
    const struct reply reply = ask(request, problem, group_sizes, search, false);
    *finding = reply.answer == ANSWER_FINDING ? reply.findings[0] : reply.summary;
    return reply.answer < ANSWER_RIGHT ? ANSWER_NONE : reply.answer;
}

enum answer ask_oclgrind(const struct request *request, const struct problem *problem,
                         struct finding *finding)
{
    return ask_about_few(request, *problem, NULL, SEARCH_ALL, finding);
}

enum answer ask_in_advance(const struct request *request, uint64_t n, const uint64_t *group_sizes,
                           struct finding *finding)
{
    struct problem problem = request->first;
    problem.n = n;
    return ask_about_few(request, problem, group_sizes, SEARCH_CERTAIN, finding);
}

void print_finding(const struct finding *finding, const char *before, const char *mark)
{
    printf("%sOclgrind: %s\n", before, finding->sentence);
    print_cause_name(finding->name, mark);
}

/* ---- --races */

/* The trial of this number: each variant with each n and each geometry. False: there are no more.
 * Without --n, each n is 15 mod 16, so vectors of any width leave as many elements as they can. */
static bool choose_trial(const struct request *request, int number, struct problem *trial)
{
    static const struct {
        uint64_t n;
        const char *op, *type; // NULL: those of the command line
    } usual[] = {
        { 4991, NULL, NULL },  // a few groups, the last of them partial
        { 20015, NULL, NULL }, // rounds of the largest group, or of the plan's own
        // a kernel may use other functions for other operations
        { 1007, "min", "float" },
        { 1007, "max", "double" },
        { 1007, "max", "int" },
    };
    const struct options *options = request->options;
    const bool is_usual = options->n.count == 0,
               any_operation = !options->op && !options->type && !request->step->operation;
    const int geometries = request->geometry_count,
              sizes = !is_usual       ? options->n.count
                      : any_operation ? 5
                                      : 2,
              size = number / geometries % sizes;
    *trial = request->first;
    trial->variant = request->variants[number / geometries / sizes];
    trial->geometry = request->geometries[number % geometries];
    trial->n = is_usual ? usual[size].n : options->n.value[size];
    if (is_usual && usual[size].op)
        trial->operation = find_operation(usual[size].op, usual[size].type);
    if (is_usual && size == 1 && !options->group.count)
        trial->geometry.group_size = 1024;
    return trial->variant != NULL;
}

int verify_inside_oclgrind(struct request *request)
{
    struct reduction reduction = { 0 };
    enum status worst = STATUS_UNSUPPORTED; // a wrong result counts more than a right one
    struct problem problem;
    if (!request->device->is_simulated)
        fail("the runtime %s is no Oclgrind: which library does oclgrind/*.icd name?",
             request->device->name);
    for (int i = 0; choose_trial(request, i, &problem); i++) {
        const enum status status =
            verify_problem(&reduction, request->device, &problem, request->seed);
        const char *shown = explain_wrong_value(&reduction);
        if (status == STATUS_DOES_NOT_COMPILE) {
            print_refusal(&reduction);
            return STATUS_SETUP;
        }
        if (status == STATUS_RIGHT)
            fputs("# right\n", stderr);
        else
            fprintf(stderr, "# %s: %s%s%s\n",
                    status == STATUS_WRONG   ? "wrong"
                    : status == STATUS_SETUP ? "ignored"
                                             : "unsupported",
                    status == STATUS_WRONG ? reduction.verdict.reason : reduction.reason,
                    *shown ? ". " : "", shown);
        if (status == STATUS_WRONG || worst == STATUS_UNSUPPORTED)
            worst = status;
    }
    release_reduction(&reduction);
    return worst;
}

/* "STEP associative at n = 1007, groups of 100 at most, min of float: nothing found" */
static void print_trial(const struct request *request, const struct problem *trial,
                        const char *sentence)
{
    const bool is_upper_limit = trial->geometry.group_size && !request->options->group.count;
    char place[80];
    print_place(trial, place);
    printf("%s %s%s%s", program_name, trial->variant->name, place,
           is_upper_limit ? " at most" : "");
    if (trial->operation != request->operations[0])
        printf(", %s of %s", trial->operation->op, trial->operation->type);
    printf(": %s\n", sentence);
}

/* Lets Oclgrind judge a trial, and prints everything that it says. */
static enum status judge_trial(const struct request *request, const struct problem *trial)
{
    const struct reply reply = ask(request, *trial, NULL, SEARCH_ALL, true);
    const bool is_other =
        trial->operation != request->operations[0]; // than that of the command line
    if (reply.answer == ANSWER_SETUP && !is_other)
        return STATUS_SETUP;                                     // its message has been printed
    if (reply.answer == ANSWER_IGNORED && !request->variants[1]) // otherwise it is left out
        fail("%s", reply.summary.sentence);
    if (reply.answer == ANSWER_WRONG && is_other) {
        print_trial(request, trial, "not judged, because the kernel does not use combine()");
        return STATUS_UNSUPPORTED;
    }
    const bool is_right = reply.answer == ANSWER_RIGHT || reply.answer == ANSWER_POCL_LOOP;
    print_trial(request, trial,
                reply.answer == ANSWER_POCL_LOOP ? "nothing found" : reply.summary.sentence);
    for (int i = 0; i < reply.count; i++) {
        printf("  %s\n", reply.findings[i].sentence);
        print_cause_name(reply.findings[i].name, "  ");
    }
    return is_right                          ? STATUS_RIGHT
           : reply.answer >= ANSWER_TOO_LONG ? STATUS_WRONG
                                             : STATUS_UNSUPPORTED;
}

int find_races(struct request *request, int (*task)(struct request *request))
{
    const struct options *options = request->options;
    const struct variant *reported = NULL;
    enum status worst = STATUS_UNSUPPORTED; // a wrong trial counts more than a right one
    struct problem trial;
    if (getenv("REDUCE_INSIDE_OCLGRIND")) // set by oclgrind.py for the process that it starts
        return task(request);
    signal(SIGCHLD, SIG_DFL); // otherwise there might be no status of a command
    if (options->device) {    // refuses a wrong name, although Oclgrind has a device of its own
        struct device device = open_device(options->device);
        close_device(&device);
    }
    setenv("REDUCE_SCRIPT", path_beside_program("common/judge/oclgrind.py"), 1);
    if (system(RUN_SCRIPT " true 2>/dev/null") != 0) {
        fprintf(stderr,
                "%s: --races needs Oclgrind, python3 and setpriv: `make deps` installs them on "
                "Debian and Ubuntu; INSTALL.md says what to do elsewhere\n",
                program_name);
        return STATUS_UNSUPPORTED;
    }
    for (int i = 0; choose_trial(request, i, &trial); i++) {
        if (trial.variant == reported) // one finding is enough, unless --n was given
            continue;
        const enum status status = judge_trial(request, &trial);
        if (status == STATUS_SETUP)
            return status;
        if (status == STATUS_WRONG || worst == STATUS_UNSUPPORTED)
            worst = status;
        if (status == STATUS_WRONG && !options->n.count)
            reported = trial.variant;
    }
    return worst;
}
