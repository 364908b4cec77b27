/*   ask_oclgrind()            forks, and reads one answer: its kind, and a sentence
 *     python3 oclgrind.py     reads the log of
 *       oclgrind STEP         check_trial_inside_oclgrind(): see races.c
 */
#define _DEFAULT_SOURCE // realpath()
#include "oclgrind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Appends an option with a number to the words of a command, if the number is not 0. */
static void add_number(const char **words, int *count, const char *option, uint64_t number)
{
    char text[24];
    if (!number)
        return;
    snprintf(text, sizeof text, "%" PRIu64, number);
    words[(*count)++] = option;
    words[(*count)++] = strdup(text); // the process ends soon
}

/* Appends an option with a text, if there is one. */
static void add_text(const char **words, int *count, const char *option, const char *text)
{
    if (!text)
        return;
    words[(*count)++] = option;
    words[(*count)++] = text;
}

/* Becomes oclgrind.py, which ask_oclgrind() waits for. Oclgrind is slow, so large problems become
 * smaller: a mistake in the memory or in the barriers seldom needs many elements or groups. */
static _Noreturn void start_search(const struct request *request, const struct problem *problem,
                                   const uint64_t *group_sizes, enum search search)
{
    enum { ELEMENTS = 5000, GROUPS = 2, GROUP_SIZE = 256, LARGEST = 1024 };
    const struct geometry *geometry = &problem->geometry;
    const bool has_operation = !request->step->operation; // then --op and --type exist
    const char *words[64] = { "python3",
                              path_beside_program("common/judge/oclgrind.py"),
                              "explain",
                              search == SEARCH_CERTAIN          ? "certain"
                              : problem->operation->has_extreme ? "extreme"
                                                                : "sum",
                              realpath("/proc/self/exe", NULL),
                              "--races",
                              "--device=",
                              "--timeout=600" };
    int count = 8;
    char sizes[200] = "";
    add_number(words, &count, "--n", problem->n < ELEMENTS ? problem->n : ELEMENTS);
    add_number(words, &count, "--groups", geometry->groups < GROUPS ? geometry->groups : GROUPS);
    add_number(words, &count, "--width", (uint64_t)geometry->width);
    for (; group_sizes && *group_sizes; group_sizes++)
        if (*group_sizes <= LARGEST)
            snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%" PRIu64,
                     *sizes ? "," : "", *group_sizes);
    add_text(words, &count, "--group", *sizes ? sizes : NULL);
    if (!*sizes)
        add_number(words, &count, "--group",
                   geometry->group_size < GROUP_SIZE ? geometry->group_size : GROUP_SIZE);
    add_text(words, &count, "--variant", problem->variant->name);
    add_text(words, &count, "--op", has_operation ? problem->operation->op : NULL);
    add_text(words, &count, "--type", has_operation ? problem->operation->type : NULL);
    add_text(words, &count, "--subgroups", problem->sub_groups);
    add_text(words, &count, "--kernel", request->options->kernel);
    if (problem->force)
        words[count++] = "--force";
    unsetenv("REDUCE_DEVICE");
    unsetenv(TRIAL_VARIABLE);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (freopen("/dev/null", "w", stderr)) // what the step inside says there is no finding
        execvp(words[0], (char *const *)words);
    _exit(STATUS_SETUP);
}

enum answer ask_oclgrind(const struct request *request, const struct problem *problem,
                         const uint64_t *group_sizes, enum search search, struct finding *finding)
{
    int ends[2], status = 0;
    *finding = (struct finding) { "none", "python3 or Oclgrind is not installed: try make deps" };
    (void)fflush(stdout); // otherwise the child would print it, too
    if (pipe(ends) != 0)
        return ANSWER_NONE;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        start_search(request, problem, group_sizes, search);
    }
    close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    const bool is_found =
        answer && fscanf(answer, "%31s %599[^\n]", finding->kind, finding->sentence) == 2;
    if (answer)
        (void)fclose(answer);
    while (child > 0 && waitpid(child, &status, 0) != child)
        if (errno != EINTR)
            return ANSWER_NONE;
    if (is_found && strcmp(finding->kind, "none") != 0)
        return ANSWER_FINDING;
    if (child < 0 || !WIFEXITED(status))
        return ANSWER_NONE;
    return WEXITSTATUS(status) == STATUS_RIGHT   ? ANSWER_RIGHT
           : WEXITSTATUS(status) == STATUS_WRONG ? ANSWER_WRONG
                                                 : ANSWER_NONE;
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
    if (getenv("REDUCE_CAUSE"))
        printf("%s%scause: %s\n", mark, mark[0] == '#' ? "" : "# ", finding->kind);
}
