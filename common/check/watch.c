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
    setvbuf(stdout, NULL, _IOLBF, 0);
    on_purpose = &at_work->on_purpose;
    leave(work(about));
}

struct ending look_on(const struct options *options, int (*work)(void *about), void *about)
{
    const int patience = 5;
    const struct timespec second = { .tv_sec = 1 };
    struct ending ending = { .too_long = false };
    double since = 0; // at the last look
    bool said = false;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    signal(SIGCHLD, SIG_DFL); // or there would be no status to wait for
    at_work =
        mmap(NULL, sizeof *at_work, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    (void)fflush(stdout);
    const pid_t pid = at_work == MAP_FAILED ? -1 : fork();
    if (pid < 0)
        fail("no further process can be started");
    if (pid == 0)
        child(work, about, &ended);
    task_option(&at_work->task, "--device", options->device); // until something is planned
    // Looks are counted, not seconds: while both processes are stopped, no time goes by.
    for (int looks = 0; waitpid(pid, &ending.status, WNOHANG) == 0; looks++) {
        if (at_work->since != since || since == 0)
            looks = 0;
        since = at_work->since;
        if (looks > patience && !said) {
            said = true;
            fprintf(stderr, "%s: still waiting for the kernel%s; does each loop end?\n",
                    program_name, place_of(&at_work->task));
        }
        if (looks > options->timeout) {
            ending.too_long = true;
            kill(pid, SIGKILL);
        }
        sigtimedwait(&ended, NULL, &second);
    }
    return ending;
}

void become(const char *const *words, const struct task *task)
{
    const char *all[64] = { NULL };
    int count = 0;
    while (*words)
        all[count++] = *words++;
    for (size_t at = 0; at < task->length && count < 63; at += strlen(task->words + at) + 1)
        all[count++] = task->words + at;
    execvp(all[0], (char *const *)all);
    fail("%s: cannot be started", all[0]);
}

/* The same task with the kernel that comes with the step, in a fresh process that says nothing and
 * has its own watch. */
static int own_kernel(void *about)
{
    static const char *const words[] = { "/proc/self/exe", "--force", "--warm", "--reps", "3",
                                         "--seconds",      "0",       "--n",    "1",      NULL };
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    unsetenv("REDUCE_KERNELS");
    become(words, about); // what is said twice counts as it is said last
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
        const int status = look_on(options, own_kernel, task).status;
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
    const struct ending ending = look_on(options, work, about);
    if (WIFEXITED(ending.status) && at_work->on_purpose)
        return WEXITSTATUS(ending.status);
    switch (WIFSIGNALED(ending.status) ? WTERMSIG(ending.status) : 0) {
    case SIGINT: // from outside: this process ends in the same way
    case SIGTERM:
    case SIGHUP:
    case SIGPIPE: raise(WTERMSIG(ending.status));
    }
    return whose_fault(options, &at_work->task, ending.too_long);
}
