/* This program solves one problem again, inside Oclgrind:
 *
 *   ask()                        reads an answer and findings from a pipe
 *     python3 oclgrind.py        reads the log of
 *       oclgrind STEP --races    verify_inside_oclgrind()
 *
 * Each trial of --races has a process of its own, too, because Oclgrind 21.10 wrongly reports a
 * read of uninitialized memory in a buffer that takes the place of a smaller one. */
#define _GNU_SOURCE // open_memstream(), popen(), realpath()
#include "oclgrind.h"

#include "causes.h"
#include "operations.h"
#include "verify.h"
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS_MAX = 32 };

struct reply { // of oclgrind.py
    enum answer answer;
    struct finding verdict; // a name and a sentence for the answer
    unsigned options_used;  // by the plan: enum option_use
    struct finding findings[FINDINGS_MAX];
    int count;
};

/* ---- asking */

/* Appends an option to a shell command, if it has a text. */
static void add_text(FILE *command, const char *option, const char *text)
{
    if (!text)
        return;
    fprintf(command, " %s'", option);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", command);
        else
            fputc(*text, command);
    fputs("'", command);
}

/* The same for a number that is not 0. */
static void add_number(FILE *command, const char *option, uint64_t number)
{
    if (number)
        fprintf(command, " %s%" PRIu64, option, number);
}

/* How long oclgrind.py lets a process run, in seconds of processor time, so a busy machine does not
 * change an answer. A question usually needs two, a trial of --races with few elements four. 0: as
 * long as it takes, because each run of a kernel has the time of --timeout. */
static int find_limit(const struct options *options, uint64_t n, bool is_trial)
{
    enum { FEW_ELEMENTS = 5000, FOR_A_QUESTION = 5, FOR_FEW_ELEMENTS = 20 };
    if (!is_trial)
        return FOR_A_QUESTION;
    return n <= FEW_ELEMENTS && !options->has_timeout ? FOR_FEW_ELEMENTS : 0;
}

/* Writes the shell command that solves the problem inside Oclgrind. */
static void write_command(FILE *command, const struct request *request,
                          const struct problem *problem, const uint64_t *group_sizes,
                          const char *search, bool is_trial)
{
    enum { LARGEST_GROUP = 1024, NO_TIMEOUT = 600 };
    // On a busy machine a process may need so many times its processor time. Python's clock ends.
    const double times_as_long = 12, longest = 1e6;
    const struct options *options = request->options;
    const struct geometry *geometry = &problem->geometry;
    const int limit = find_limit(options, problem->n, is_trial);
    const double timeout = limit ? NO_TIMEOUT : options->timeout,
                 by_the_clock = fmin(times_as_long * (limit ? limit : 10 + timeout), longest);
    const char *before = " --group=";
    char program[PATH_MAX];
    fputs("exec setpriv --pdeathsig KILL python3", command);
    add_text(command, "", path_beside_program("common/judge/oclgrind.py"));
    fprintf(command, " %s %d %.0f", search, limit, by_the_clock);
    add_text(command, "", realpath("/proc/self/exe", program));
    fprintf(command, " --races --device=0 --timeout=%.0f", timeout);
    add_text(command, "--variant=", problem->variant->name);
    if (!request->step->operation) { // otherwise the step has no other operation
        add_text(command, "--op=", problem->operation->op);
        add_text(command, "--type=", problem->operation->type);
    }
    add_number(command, "--n=", problem->n);
    for (; group_sizes && *group_sizes; group_sizes++)
        if (*group_sizes <= LARGEST_GROUP) {
            fprintf(command, "%s%" PRIu64, before, *group_sizes);
            before = ",";
        }
    if (*before != ',')
        add_number(command, "--group=", geometry->group_size);
    add_number(command, "--groups=", geometry->groups);
    add_number(command, "--width=", (uint64_t)geometry->width);
    add_text(command, "--subgroups=", problem->sub_groups);
    add_text(command, "--kernel=", options->kernel);
    if (problem->force)
        fputs(" --force", command);
    // --races shows why the program does not start; a question does not.
    if (!is_trial || problem->operation != request->operations[0])
        fputs(" 2>/dev/null", command);
}

/* Reads what oclgrind.py prints. */
static void read_reply(FILE *from, struct reply *reply)
{
    static const char *const names[] = { "none",  "setup",        "unsupported", "timeout",
                                         "right", "wrong_result", "finding" }; // of enum answer
    struct finding *verdict = &reply->verdict, *finding = reply->findings;
    if (fscanf(from, "%31s %u %999[^\n]%*[^\n]", verdict->kind, &reply->options_used,
               verdict->sentence) != 3)
        return;
    while (reply->answer < ANSWER_FINDING && strcmp(names[reply->answer], verdict->kind) != 0)
        reply->answer++;
    while (reply->count < FINDINGS_MAX &&
           fscanf(from, "%31s %999[^\n]%*[^\n]", finding->kind, finding->sentence) == 2) {
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
                           USES_ALL,
                           .count = 0 };
    char *text = NULL;
    size_t length;
    FILE *command = open_memstream(&text, &length);
    if (!command)
        return reply;
    write_command(command, request, &problem, group_sizes,
                  search == SEARCH_CERTAIN         ? "certain"
                  : problem.operation->has_extreme ? "extreme"
                                                   : "sum",
                  is_trial);
    (void)fclose(command);
    (void)fflush(stdout); // oclgrind.py may print a message, too, which must come later
    FILE *from = popen(text, "r");
    free(text);
    if (from) {
        read_reply(from, &reply);
        (void)pclose(from);
    }
    const bool has_size = (group_sizes && *group_sizes) || problem.geometry.group_size,
               must_fit = is_trial && request->options->group.count;
    if (reply.answer != ANSWER_UNSUPPORTED || !has_size || must_fit)
        return reply;
    problem.geometry.group_size = 0;
    return ask(request, problem, NULL, search, is_trial);
}

enum answer ask_oclgrind(const struct request *request, const struct problem *problem,
                         const uint64_t *group_sizes, enum search search, struct finding *finding)
{
    // Oclgrind is slow, so large problems become smaller: a mistake in the memory or in the
    // barriers seldom needs many elements or groups.
    enum { ELEMENTS = 4992, GROUPS = 2, GROUP_SIZE = 256, WIDEST = 16 };
    struct problem small = *problem;
    struct geometry *geometry = &small.geometry;
    if (small.n > ELEMENTS)
        small.n = ELEMENTS + small.n % WIDEST; // as many elements after the last whole vector
    geometry->groups = geometry->groups < GROUPS ? geometry->groups : GROUPS;
    geometry->group_size = geometry->group_size < GROUP_SIZE ? geometry->group_size : GROUP_SIZE;
    const struct reply reply = ask(request, small, group_sizes, search, false);
    *finding = reply.answer == ANSWER_FINDING ? reply.findings[0] : reply.verdict;
    return reply.answer < ANSWER_RIGHT ? ANSWER_NONE : reply.answer;
}

enum answer ask_in_advance(const struct request *request, uint64_t n, const uint64_t *group_sizes,
                           struct finding *finding)
{
    const struct problem problem = {
        request->variants[0],   request->operations[0], n,
        request->geometries[0], request->kernel_file,   request->options->sub_groups,
        request->options->force
    };
    return ask_oclgrind(request, &problem, group_sizes, SEARCH_CERTAIN, finding);
}

void print_finding(const struct finding *finding, const char *before, const char *mark)
{
    printf("%sOclgrind: %s\n", before, finding->sentence);
    print_kind(finding->kind, mark);
}

/* ---- --races */

/* The trial of this number. The command line chooses n and the operation. Otherwise five trials are
 * usual: a few groups, the last of them partial; rounds of the largest group; three other
 * operations, because a kernel may use other functions for them. Each n is 15 mod 16, so vectors of
 * any width leave as many elements as they can. False: there are no more. */
static bool choose_trial(const struct request *request, int number, struct problem *trial)
{
    const struct options *options = request->options;
    const bool any_operation = !options->op && !options->type && !request->step->operation;
    const struct numbers usual = { { 4991, 20015, 1007, 1007, 1007 }, any_operation ? 5 : 2 },
                         *sizes = options->n.count ? &options->n : &usual;
    const int geometries = request->geometry_count, size = number / geometries % sizes->count;
    *trial = (struct problem) { request->variants[number / geometries / sizes->count],
                                request->operations[0],
                                sizes->value[size],
                                request->geometries[number % geometries],
                                request->kernel_file,
                                options->sub_groups,
                                options->force };
    if (sizes == &usual && size == 1 && !options->group.count)
        trial->geometry.group_size = 1024; // or the plan's own, if that does not fit
    if (sizes == &usual && size >= 2)
        trial->operation = size == 2   ? find_operation("min", "float")
                           : size == 3 ? find_operation("max", "double")
                                       : find_operation("max", "int");
    return trial->variant != NULL;
}

int verify_inside_oclgrind(struct request *request)
{
    static struct reduction reduction;      // too large for the stack
    enum status worst = STATUS_UNSUPPORTED; // a wrong result counts more than a right one
    struct problem problem;
    for (int i = 0; choose_trial(request, i, &problem); i++) {
        const enum status status = verify_problem(&reduction, request->device, &problem,
                                                  (uint32_t)request->options->seed.value[0]);
        const char *shown = explain_wrong_value(&reduction);
        if (reduction.state == PLAN_READY)
            fprintf(stderr, "# uses: %u\n", reduction.options_used);
        if (status == STATUS_RIGHT)
            fputs("# right\n", stderr);
        else
            fprintf(stderr, "# %s: %s%s%s\n", status == STATUS_WRONG ? "wrong" : "unsupported",
                    reduction.reason, *shown ? ". " : "", shown);
        if (status == STATUS_WRONG || worst == STATUS_UNSUPPORTED)
            worst = status;
    }
    release_reduction(&reduction);
    return worst;
}

/* "STEP associative at n = 20000, groups of 1024 at most, min of float: nothing found" */
static void print_verdict(const struct request *request, const struct problem *trial,
                          const char *verdict)
{
    const bool is_upper_limit = trial->geometry.group_size && !request->options->group.count;
    char place[80];
    progress->problem = *trial;
    print_place(place);
    printf("%s %s%s%s", program_name, trial->variant->name, place,
           is_upper_limit ? " at most" : "");
    if (trial->operation != request->operations[0])
        printf(", %s of %s", trial->operation->op, trial->operation->type);
    printf(": %s\n", verdict);
}

/* Lets Oclgrind judge a trial, and prints everything that it says. */
static enum status judge_trial(const struct request *request, const struct problem *trial)
{
    const struct reply reply = ask(request, *trial, NULL, SEARCH_ALL, true);
    const bool is_other =
        trial->operation != request->operations[0]; // than that of the command line
    if (reply.answer == ANSWER_SETUP && !is_other)
        return STATUS_SETUP; // its message has been printed
    refuse_unused_options(request->options, reply.options_used | USED_FOR_DATA | USED_IN_TIMING,
                          request->step->name);
    if (reply.answer == ANSWER_WRONG && is_other) {
        print_verdict(request, trial, "not judged, because the kernel does not use combine()");
        return STATUS_UNSUPPORTED;
    }
    print_verdict(request, trial, reply.verdict.sentence);
    for (int i = 0; i < reply.count; i++) {
        printf("  %s\n", reply.findings[i].sentence);
        print_kind(reply.findings[i].kind, "  ");
    }
    return reply.answer == ANSWER_RIGHT      ? STATUS_RIGHT
           : reply.answer >= ANSWER_TOO_LONG ? STATUS_WRONG
                                             : STATUS_UNSUPPORTED;
}

int find_races(struct request *request, int (*work)(struct request *request))
{
    const struct options *options = request->options;
    const char *preloaded = getenv("LD_PRELOAD"); // Oclgrind's way into a program
    const struct variant *reported = NULL;
    enum status worst = STATUS_UNSUPPORTED; // a wrong trial counts more than a right one
    struct problem trial;
    if (preloaded && strstr(preloaded, "oclgrind")) {
        request->watch = WATCH_SIMULATED;
        return work(request);
    }
    signal(SIGCHLD, SIG_DFL); // otherwise there might be no status of a command
    if (options->device) {    // refuses a wrong name, although Oclgrind has a device of its own
        struct device device = open_device(options->device);
        close_device(&device);
    }
    if (system("command -v oclgrind >/dev/null && command -v python3 >/dev/null && "
               "command -v setpriv >/dev/null") != 0) {
        fprintf(
            stderr,
            "%s: --races needs oclgrind, python3 and setpriv: on Debian 12 and Ubuntu `make deps` "
            "installs them; elsewhere build github.com/jrprice/Oclgrind\n",
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
