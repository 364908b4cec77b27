/*   parent   fork, then look at struct progress every second, and report a child that is lost
 *              |
 *   child      `--> open the device, plan, run …
 *
 * Both processes see struct progress: the child notes each problem and run there. */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "supervise.h"

#include "causes.h"
#include "explain.h"
#include "oclgrind.h"
#include "run.h"
#include "verify.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child ends with its parent. Each line that it prints is kept, even if it crashes. */
static _Noreturn void run_child(pid_t parent, struct request *request,
                                int (*work)(struct request *request), bool is_silent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) // it ended before
        _exit(STATUS_SETUP);
    signal(SIGALRM, SIG_DFL);
    if (is_silent && !(freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)))
        fail("/dev/null cannot be opened");
    setvbuf(stdout, NULL, _IOLBF, 0);
    request->watch = WATCH_SUPERVISED;
    const int status = work(request);
    progress->has_ended = true;
    exit(status);
}

static void interrupt_wait(int signal) { (void)signal; } // the signal itself ends waitpid()

/* How long the current run may take, in seconds. A few elements need no time, so a kernel that
 * never ends is noticed soon. */
static double find_limit(double timeout)
{
    enum { FEW_ELEMENTS = 4096, SECONDS_FOR_FEW = 10 };
    return progress->problem.n <= FEW_ELEMENTS ? fmin(timeout, SECONDS_FOR_FEW) : timeout;
}

/* Waits for the child, looks every second what it does, and ends it if that takes too long. Returns
 * the status that waitpid() reports. */
static int wait_for_child(pid_t child, double timeout)
{
    const struct timeval second = { .tv_sec = 1 }, never = { 0 };
    struct looks looks = { 0 };
    int status = 0;
    sigaction(SIGALRM, &(struct sigaction) { .sa_handler = interrupt_wait },
              NULL); // without SA_RESTART
    // A signal each second: if one comes before waitpid() waits, the next one interrupts it.
    setitimer(ITIMER_REAL, &(struct itimerval) { second, second }, NULL);
    while (waitpid(child, &status, 0) != child) {
        if (errno != EINTR)
            fail("the process that runs the kernel cannot be waited for");
        if (look_at_progress(&looks, find_limit(timeout)))
            kill(child, SIGALRM);
    }
    setitimer(ITIMER_REAL, &(struct itimerval) { never, never }, NULL);
    return status;
}

int run_in_child(struct request *request, int (*work)(struct request *request), bool is_silent)
{
    progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED)
        fail("the host has no %zu bytes of memory left", sizeof *progress);
    signal(SIGCHLD, SIG_DFL); // otherwise there might be no status to wait for
    (void)fflush(stdout);     // otherwise both processes would print it
    const pid_t parent = getpid(), child = fork();
    if (child < 0)
        fail("no further process can be started");
    if (child == 0)
        run_child(parent, request, work, is_silent);
    const int status = wait_for_child(child, request->options->timeout),
              signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    // If the child was ended from outside, this process ends in the same way.
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGPIPE)
        raise(signal);
    return signal ? -signal : WEXITSTATUS(status);
}

/* What a lost child had planned last, for verify_own_kernel(), which run_in_child() calls. */
static struct problem lost_problem;

/* Solves the same problem with the kernel that comes with the step. */
static int verify_own_kernel(struct request *request)
{
    static struct reduction reduction; // too large for the stack
    struct device device = open_device(request->options->device);
    watch_runs(0, WATCH_SUPERVISED);
    return verify_problem(&reduction, &device, &lost_problem, 1) == STATUS_UNSUPPORTED
               ? STATUS_UNSUPPORTED
               : STATUS_RIGHT;
}

/* If the runtime is at fault, it fails with the step's own kernel too. */
static bool own_kernel_fails(struct request *request)
{
    lost_problem = progress->problem;
    if (!lost_problem.variant) // nothing was planned yet
        lost_problem = (struct problem) { request->variants[0], request->operations[0], .n = 1 };
    lost_problem.kernel_file = NULL;
    unsetenv("REDUCE_KERNELS");
    const int status = run_in_child(request, verify_own_kernel, true);
    return status != STATUS_RIGHT && status != STATUS_UNSUPPORTED;
}

/* The child ended without a result: says why, and whose fault it probably is. */
static int report_loss(struct request *request, int status)
{
    const struct options *options = request->options;
    const struct problem problem = progress->problem;
    struct finding finding;
    const bool is_too_long = status == -SIGALRM,
               has_other_kernel = request->kernel_file || getenv("REDUCE_KERNELS");
    const char *question = "the kernel write out of bounds, or have large private arrays";
    char place[80], symptom[60] = "the OpenCL runtime crashed";
    print_place(place);
    if (is_too_long && progress->is_running) {
        const double limit = find_limit(options->timeout);
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
        question = "a division before it round down to 0, such as a number of sub-groups in a "
                   "small group";
    }
    const bool runtime_fails = !has_other_kernel || own_kernel_fails(request);
    if (options->check)
        puts("Bail out!  standard error says why"); // TAP's word for an end before the plan line
    print_kind(is_too_long ? CAUSE_NEVER_ENDS : CAUSE_CRASHES, "# ");
    (void)fflush(stdout);
    const enum answer inside = runtime_fails || !problem.variant
                                   ? ANSWER_NONE
                                   : ask_oclgrind(request, &problem, NULL, SEARCH_ALL, &finding);
    fprintf(stderr, "%s: %s%s", program_name, symptom, place);
    if (runtime_fails)
        fprintf(stderr,
                ", with the step's own kernel%s: the runtime is at fault, or it lacks memory or a "
                "tool such as ld (unless kernels/ was edited): try another --device, or "
                "--subgroups local\n",
                has_other_kernel ? " too" : "");
    else if (inside == ANSWER_FINDING)
        fprintf(stderr, ": Oclgrind: %s\n", finding.sentence);
    else if (inside == ANSWER_RIGHT && has_loop_that_pocl_breaks(request->kernel_file))
        fputs(". Inside Oclgrind the kernel is right. " POCL_LOOP_ADVICE "\n", stderr);
    else
        fprintf(stderr, ": does %s?\n", question);
    return runtime_fails ? STATUS_SETUP : STATUS_WRONG;
}

/* A divergent barrier or an access out of bounds may leave the result right on this device. Inside
 * Oclgrind it shows, before any time is measured. */
static bool is_invalid(struct request *request)
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
    if (options->kernel && !options->check && !options->facts && is_invalid(request))
        return STATUS_WRONG;
    const int status = run_in_child(request, work, false);
    // A runtime may call exit() itself, but hardly with the status of a usage error.
    const bool has_ended = status == STATUS_SETUP || (status >= 0 && progress->has_ended);
    return has_ended ? status : report_loss(request, status);
}
