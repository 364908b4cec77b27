/*   parent   fork, then wait, and report a child that is lost
 *              |
 *   child      `--> open the device, plan, run …, and end by a signal if something takes too long
 *
 * The child writes to shared memory which problem it plans or runs, and the parent reads that for
 * its message. */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "supervise.h"

#include "causes.h"
#include "oclgrind.h"
#include "work.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits for the child. If one problem takes more than some seconds, says so once. */
static int wait_for(pid_t child)
{
    enum { PATIENCE = 5 };
    const struct timespec second = { .tv_sec = 1 };
    sigset_t of_child;
    unsigned count = 0;
    int status, seconds = 0;
    bool has_warned = false;
    sigemptyset(&of_child);
    sigaddset(&of_child, SIGCHLD);
    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return status;
        if (ended < 0)
            fail("the process of the kernel cannot be waited for");
        if (sigtimedwait(&of_child, NULL, &second) == SIGCHLD)
            continue;
        seconds = progress->work == RUNNING && progress->count == count ? seconds + 1 : 0;
        count = progress->count;
        if (seconds < PATIENCE || has_warned)
            continue;
        char place[80];
        print_place(&progress->problem, place);
        fprintf(stderr, "%s: still waiting for the kernel%s; does each of its loops end?\n",
                program_name, place);
        has_warned = true;
    }
}

/* Runs task(request) in a process of its own, which ends with this one. Returns its exit status, or
 * the negative number of the signal that ended it. */
static int run_in_child(struct request *request, int (*task)(struct request *request))
{
    sigset_t of_child, before;
    progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED)
        fail("the host has no %zu bytes of memory left", sizeof *progress);
    signal(SIGCHLD, SIG_DFL); // otherwise there might be no status to wait for
    sigemptyset(&of_child);
    sigaddset(&of_child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &of_child, &before); // sigtimedwait() reads it
    (void)fflush(stdout);                       // otherwise both processes would print it
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        // A parent may have ignored it; set_time_limit() does the same for SIGALRM.
        signal(SIGPROF, SIG_DFL);
        if (getppid() != parent) // it has ended already
            _exit(STATUS_SETUP);
        setenv("POCL_SIGFPE_HANDLER", "0", 1); // otherwise pocl hides a division by 0
        setvbuf(stdout, NULL, _IOLBF, 0);      // each line is kept, even after a crash
        const int status = task(request);
        progress->has_ended = true;
        exit(status);
    }
    if (child < 0)
        fail("no process can be started for the kernel");
    const int status = wait_for(child), number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    // If the child was ended from outside, this process ends in the same way.
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGPIPE)
        raise(number);
    return number ? -number : WEXITSTATUS(status);
}

/* A learner's kernel has run and was lost: prints what Oclgrind sees, or else the `question` that
 * often leads to the mistake, and the command that shows whether the runtime is at fault. Then the
 * option that repeats the data. */
static void explain_loss(const struct request *request, const char *question, const char *without)
{
    struct finding finding;
    const enum answer inside = ask_oclgrind(request, &progress->problem, &finding);
    if (inside == ANSWER_FINDING || inside == ANSWER_POCL_LOOP)
        fprintf(stderr, ": Oclgrind: %s", finding.sentence);
    else
        fprintf(stderr, ": does %s? If %s without %s fails too, the runtime is at fault", question,
                program_name, without);
    fprintf(stderr, "; --seed %" PRIu64 " repeats this data\n", request->options->seed);
}

/* The child was lost while it planned, or while the runtime compiled the kernel. */
static void report_lost_plan(const char *file, int status)
{
    char place[80];
    print_place(&progress->problem, place);
    if (status == -SIGPROF)
        fprintf(stderr,
                "the plan or the compiler of the OpenCL runtime has not ended%s: does each loop of "
                "the plan end? Does a macro of the kernel expand too often, or a loop with #pragma "
                "unroll? If not, the runtime is at fault: try another --device\n",
                place);
    else if (status >= 0)
        fprintf(stderr,
                "the compiler of the OpenCL runtime ended the program while it compiled %s: is the "
                "disk full (HOME, POCL_CACHE_DIR)? ./step00 tests that\n",
                file ? shown_name(file) : "a kernel of the step");
    else
        fprintf(stderr,
                "the plan or the compiler of the OpenCL runtime crashed%s: does the plan use an "
                "array or a stage that does not exist, divide by 0, or call itself without an end? "
                "If not, the runtime is at fault\n",
                place);
}

/* What happened, and the most frequent mistake that leads to it, as a question. */
static const char *describe_loss(const struct request *request, int status, char symptom[80])
{
    if (status == -SIGFPE) {
        snprintf(symptom, 80, "the kernel divides an integer by 0");
        return "a divisor become 0, such as a number of sub-groups that is rounded down in a small "
               "group";
    }
    if (status != -SIGALRM && status != -SIGPROF) {
        snprintf(symptom, 80, "the OpenCL runtime crashed");
        return "the kernel write out of bounds, or have large private or local arrays";
    }
    if (status == -SIGALRM)
        snprintf(symptom, 80, "no result for %g s (--timeout)", request->options->timeout);
    else
        snprintf(symptom, 80, "no result for %ld s of processor time", progress->processor_seconds);
    return "each loop end, does every work-item reach each barrier, and does no group wait for "
           "another one";
}

/* The child ended without a result: says why, and whose fault it probably is. */
static int report_loss(const struct request *request, int status)
{
    const char *file = file_of_learner(request),
               *without = file                       ? shown_name(file)
                          : getenv("REDUCE_KERNELS") ? "REDUCE_KERNELS"
                                                     : NULL; // the kernel is the step's own
    char place[80], symptom[80];
    const char *question = describe_loss(request, status, symptom);
    if (prints_tap)
        puts("Bail out!  standard error says why"); // TAP's word for an end before the plan line
    print_cause_name(status == -SIGALRM || status == -SIGPROF ? "never_ends" : "crashes", "# ");
    (void)fflush(stdout);
    fprintf(stderr, "%s: ", program_name);
    if (progress->work == PLANNING) {
        report_lost_plan(file, status);
        return STATUS_SETUP;
    }
    print_place(&progress->problem, place);
    fprintf(stderr, "%s%s", symptom, progress->has_run ? place : "");
    if (without && progress->has_run) {
        explain_loss(request, question, without);
        return STATUS_WRONG;
    }
    if (without)
        fprintf(stderr,
                " before the kernel has run: the runtime is at fault if the same command without "
                "%s fails, too",
                without);
    else
        fputs(", with the step's own kernel: does a plan of yours have too many groups, or an "
              "array that is too small? If not, the runtime is at fault (unless kernels/ was "
              "edited)",
              stderr);
    fputs("; it may lack memory or a tool such as ld: try another --device, or --subgroups local\n",
          stderr);
    return STATUS_SETUP;
}

int supervise(struct request *request, int (*task)(struct request *request))
{
    const int status = run_in_child(request, task);
    // A runtime may call exit() itself, but hardly with the status of a usage error.
    const bool has_ended = status == STATUS_SETUP || (status >= 0 && progress->has_ended);
    return has_ended ? status : report_loss(request, status);
}
