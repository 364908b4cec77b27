/*   parent   fork, then wait, and report a child that is lost
 *              |
 *   child      `--> open the device, plan, run …, and end by SIGALRM if a run takes too long
 *
 * Both processes see struct progress: the child notes each problem and run there. */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "supervise.h"

#include "causes.h"
#include "oclgrind.h"
#include "run.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs work(request) in a process of its own, which ends with this one. Returns its exit status, or
 * the negative number of the signal that ended it: -SIGALRM if a run took too long. */
static int run_in_child(struct request *request, int (*work)(struct request *request))
{
    int status = 0;
    progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED)
        fail("the host has no %zu bytes of memory left", sizeof *progress);
    signal(SIGCHLD, SIG_DFL); // otherwise there might be no status to wait for
    (void)fflush(stdout);     // otherwise both processes would print it
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) // it has ended already
            _exit(STATUS_SETUP);
        setvbuf(stdout, NULL, _IOLBF, 0); // each line is kept, even after a crash
        request->watch = WATCH_SUPERVISED;
        watch_runs(request->options->timeout, request->watch);
        status = work(request);
        progress->has_ended = true;
        exit(status);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail("no process can be started, or waited for, for the kernel");
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    // If the child was ended from outside, this process ends in the same way.
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGPIPE)
        raise(number);
    return number ? -number : WEXITSTATUS(status);
}

/* A learner's kernel has run and was lost: prints what Oclgrind sees, or else the `question` that
 * often leads to the mistake, and the command that shows whether the runtime is at fault. */
static void explain_loss(const struct request *request, const char *question, const char *option)
{
    struct finding finding;
    const enum answer inside = ask_oclgrind(request, &progress->problem, &finding);
    if (inside == ANSWER_FINDING || inside == ANSWER_POCL_LOOP)
        fprintf(stderr, ": Oclgrind: %s\n", finding.sentence);
    else
        fprintf(stderr, ": does %s? If %s without %s fails too, the runtime is at fault\n",
                question, program_name, option);
}

/* The child ended without a result: says why, and whose fault it probably is. */
static int report_loss(struct request *request, int status)
{
    const struct options *options = request->options;
    const bool is_too_long = status == -SIGALRM, has_run = progress->runs > 0;
    const char *option = request->first.kernel_file ? "--kernel"
                         : getenv("REDUCE_KERNELS") ? "REDUCE_KERNELS"
                                                    : NULL; // the kernel is the step's own
    const char *question = "the kernel write out of bounds, or have large private or local arrays";
    char place[80], symptom[60] = "the OpenCL runtime crashed";
    if (is_too_long && progress->is_running) {
        const double limit = find_limit_if_supervised(options->timeout);
        snprintf(symptom, sizeof symptom, "no result for %g s%s", limit,
                 limit == options->timeout ? " (--timeout)" : "");
        question = "each loop end, does every work-item reach each barrier, and does no group wait "
                   "for another one";
    } else if (is_too_long) {
        snprintf(symptom, sizeof symptom, "nothing has happened for more than 5 minutes");
        question = "the plan end, or has a write out of bounds damaged the OpenCL runtime";
    }
    if (status == -SIGFPE) {
        snprintf(symptom, sizeof symptom, "the kernel divides an integer by 0");
        question = "a divisor become 0, such as a number of sub-groups that is rounded down in a "
                   "small group";
    }
    if (options->check)
        puts("Bail out!  standard error says why"); // TAP's word for an end before the plan line
    print_kind(is_too_long ? "never_ends" : "crashes", "# ");
    (void)fflush(stdout);
    print_place(place);
    fprintf(stderr, "%s: %s%s", program_name, symptom, place);
    if (option && has_run) {
        explain_loss(request, question, option);
        return STATUS_WRONG;
    }
    if (option)
        fprintf(stderr,
                " before the kernel has run: the runtime is at fault if the same command without "
                "%s fails, too",
                option);
    else
        fputs(", with the step's own kernel: the runtime is at fault (unless kernels/ was edited)",
              stderr);
    fputs("; it may lack memory or a tool such as ld: try another --device, or --subgroups local\n",
          stderr);
    return STATUS_SETUP;
}

/* A divergent barrier or an access out of bounds may leave the result right on this device.
 * Oclgrind finds it before any time is measured. */
static bool is_invalid(const struct request *request)
{
    const struct options *options = request->options;
    struct finding finding;
    char head[80];
    if (ask_in_advance(request, options->n.value[0], options->group.value, &finding) !=
        ANSWER_FINDING)
        return false;
    snprintf(head, sizeof head, "WRONG: %s: ", request->variants[0]->name);
    print_finding(&finding, head, "  ");
    return true;
}

int supervise(struct request *request, int (*work)(struct request *request))
{
    const struct options *options = request->options;
    if (options->races)
        return find_races(request, work);
    if (options->kernel && !options->check && is_invalid(request))
        return STATUS_WRONG;
    const int status = run_in_child(request, work);
    // A runtime may call exit() itself, but hardly with the status of a usage error.
    const bool has_ended = status == STATUS_SETUP || (status >= 0 && progress->has_ended);
    return has_ended ? status : report_loss(request, status);
}
