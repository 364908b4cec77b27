/* Two processes: what touches OpenCL is done in a child, which may hang or crash; its parent can
 * still say so.
 *
 *   parent   fork   looks: nothing runs   n = 1000 since 5 s: says so   at the limit: ends it
 *                \
 *   child         device, plan, launch …   task and since, in memory that both see
 */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "watch.h"

#include "fail.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *place_of(const struct task *task)
{
    static char text[80];
    const char *n = task_value(task, "--n"), *group = task_value(task, "--group");
    snprintf(text, sizeof text, "%s%s%s%s", n ? " at n = " : "", n ? n : "",
             group ? ", groups of " : "", group ? group : "");
    return text;
}

/* The child: it ends with its parent, and what it printed before a crash is not lost. */
static _Noreturn void child(int (*work)(void *about), void *about, const sigset_t *blocked)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigprocmask(SIG_UNBLOCK, blocked, NULL);
    signal(TOO_LONG, SIG_DFL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    on_purpose = &at_work->on_purpose;
    leave(work(about));
}

int look_on(const struct options *options, int (*work)(void *about), void *about)
{
    const struct timespec second = { .tv_sec = 1 };
    double since = 0; // at the last look
    bool said = false;
    int status = 0;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    signal(SIGCHLD, SIG_DFL); // or there would be no status to wait for
    at_work =
        mmap(NULL, sizeof *at_work, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at_work == MAP_FAILED)
        fail("the host has no %zu bytes of memory left", sizeof *at_work);
    task_option(&at_work->task, "--device", options->device); // until something is planned
    (void)fflush(stdout);
    const pid_t pid = fork();
    if (pid < 0)
        fail("no further process can be started");
    if (pid == 0)
        child(work, about, &ended);
    // Looks are counted, not seconds: while both processes are stopped, no time goes by.
    for (int looks = 0; waitpid(pid, &status, WNOHANG) == 0; looks++) {
        if (at_work->since != since || since == 0)
            looks = 0;
        since = at_work->since;
        if (looks > 5 && !said) {
            said = true;
            fprintf(stderr, "%s: still waiting for the kernel%s; does each loop end?\n",
                    program_name, place_of(&at_work->task));
        }
        if (looks > options->timeout)
            kill(pid, TOO_LONG);
        sigtimedwait(&ended, NULL, &second);
    }
    return status;
}

void become(const char *const *words, const struct task *task, int output)
{
    const char *all[64] = { NULL };
    int count = 0;
    while (*words)
        all[count++] = *words++;
    for (size_t at = 0; at < task->length && count < 63; at += strlen(task->words + at) + 1)
        all[count++] = task->words + at;
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvp(all[0], (char *const *)all);
    fail("%s: cannot be started", all[0]);
}

/* The same task with the kernel that comes with the step, in a fresh process that says nothing and
 * has its own watch. */
static int own_kernel(void *about)
{
    static const char *const words[] = { "/proc/self/exe", "--force", "--warm", "--reps", "3",
                                         "--seconds",      "0",       "--n",    "1",      NULL };
    unsetenv("REDUCE_KERNELS");
    // What is said twice counts as it is said last.
    become(words, about, open("/dev/null", O_WRONLY));
}

/* The child is gone without a verdict. */
static int whose_fault(const struct options *options, struct task *task, bool too_long)
{
    const bool learners = options->kernel || getenv("REDUCE_KERNELS");
    char what[60] = "the OpenCL runtime crashed", timeout[24];
    int own = EXIT_SETUP; // what the step's own kernel does; if it is unsupported, nothing is known
    if (learners) {
        snprintf(timeout, sizeof timeout, "%g", options->timeout);
        task_option(task, "--timeout", timeout);
        const int status = look_on(options, own_kernel, task);
        own = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SETUP;
    }
    const bool own_too = own != 0 && own != EXIT_UNSUPPORTED;
    if (too_long)
        snprintf(what, sizeof what, "no result for %g s (--timeout)", options->timeout);
    if (options->check)
        puts("Bail out!  standard error says why"); // TAP's word for an end before the plan line
    (void)fflush(stdout);
    fprintf(stderr, "%s: %s%s", program_name, what, place_of(task));
    if (own_too)
        fprintf(stderr,
                ", with the step's own kernel%s: the runtime is at fault, or lacks memory or a "
                "tool such as ld, if nobody edited kernels/: try another --device, or --subgroups "
                "local\n",
                learners ? " too" : "");
    else
        fprintf(stderr, ": does %s? --races says where\n",
                too_long ? "each loop end, do all work-items reach each barrier"
                         : "the kernel write out of bounds, or hold large private arrays");
    return own_too ? EXIT_SETUP : EXIT_WRONG;
}

int watched(const struct options *options, int (*work)(void *about), void *about)
{
    const int status = look_on(options, work, about);
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (WIFEXITED(status) && at_work->on_purpose)
        return WEXITSTATUS(status);
    // Ended from outside, this process ends in the same way.
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGPIPE)
        raise(signal);
    return whose_fault(options, &at_work->task, signal == TOO_LONG);
}
