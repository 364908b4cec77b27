/* Two processes: what touches OpenCL is done in a child, which may hang or crash; its parent can
 * still say so.
 *
 *   parent   fork   looks: nothing runs   n = 1000 since 5 s: says so   at the limit: ends it
 *                \
 *   child         device, plan, launch …   task and since, in memory that both see
 */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "watch.h"

#include "clock.h"
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

/* " at n = 1000, groups of 256", or "" before anything has run. */
static const char *place(const struct task *task)
{
    static char text[80];
    const char *n = task_value(task, "--n"), *group = task_value(task, "--group");
    snprintf(text, sizeof text, "%s%s%s%s", n ? " at n = " : "", n ? n : "",
             group ? ", groups of " : "", group ? group : "");
    return text;
}

/* The signals that end a program from outside, and the one that says that a child has ended. */
static sigset_t awaited(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    for (const int *each = (const int[]) { SIGCHLD, SIGINT, SIGTERM, SIGHUP, 0 }; *each; each++)
        sigaddset(&signals, *each);
    return signals;
}

/* Looks every second, and counts its looks: while both processes are stopped, no time goes by. What
 * is awaited must be blocked by now. An interrupt goes on to the child. */
static int wait_for(pid_t child, const struct options *options, const struct at_work *seen,
                    bool *too_long)
{
    const int patience = 5;
    const sigset_t signals = awaited();
    double running = 0; // since when, at the last look
    int waited = 0;     // looks at that
    char said[24] = ""; // of this n already
    int status = 0;
    *too_long = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
        const double since = seen->since;
        waited = since > 0 && since == running ? waited + 1 : 0;
        running = since;
        const char *n = waited > patience ? task_value(&seen->task, "--n") : NULL;
        if (n && strcmp(n, said) != 0) {
            snprintf(said, sizeof said, "%s", n);
            fprintf(stderr, "%s: still waiting for the kernel%s; does each loop end?\n",
                    program_name, place(&seen->task));
        }
        if (waited > options->timeout && !*too_long) {
            *too_long = true;
            kill(child, SIGKILL);
        }
        int signal = sigtimedwait(&signals, NULL, &(const struct timespec) { .tv_sec = 1 });
        if (signal > 0 && signal != SIGCHLD)
            kill(child, signal);
    }
    return status;
}

/* A child that was ended from outside: this process ends in the same way. */
static void end_alike(int status)
{
    const sigset_t signals = awaited();
    if (WIFSIGNALED(status) &&
        (sigismember(&signals, WTERMSIG(status)) || WTERMSIG(status) == SIGPIPE)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
}

/* A child that ends with its parent, and gets the signals that this process waits for while it
 * lives. */
static pid_t fork_child(sigset_t *before)
{
    const sigset_t signals = awaited();
    signal(SIGCHLD, SIG_DFL); // or there would be no status to wait for
    sigprocmask(SIG_BLOCK, &signals, before);
    (void)fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        fail("no further process can be started");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_SETMASK, before, NULL);
    }
    return child;
}

int watch_program(const struct task *command, FILE *out, FILE *err, const struct options *options,
                  const struct task *task, bool *too_long)
{
    static struct at_work seen; // large
    const char *words[64] = { NULL };
    int count = 0;
    for (size_t at = 0; at < command->length && count < 63; at += strlen(command->words + at) + 1)
        words[count++] = command->words + at;
    sigset_t before;
    pid_t child = fork_child(&before);
    if (child == 0) {
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        execvp(words[0], (char *const *)words);
        _exit(NO_PROGRAM);
    }
    seen.since = task ? now() : 0;
    if (task)
        seen.task = *task;
    int status = wait_for(child, options, &seen, too_long);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!*too_long)
        end_alike(status);
    return status;
}

/* The same task with the kernel that comes with the step, in a fresh process that says nothing and
 * has its own watch: does that fail too? Not if it is unsupported: then nothing is known. */
static bool own_kernel_fails(const struct options *options, const struct task *task)
{
    static const char *const words[] = { "/proc/self/exe", "--force", "--warm", "--reps", "3",
                                         "--seconds",      "0",       "--n",    "1",      NULL };
    struct task command = { .length = 0 };
    char timeout[24];
    bool too_long;
    snprintf(timeout, sizeof timeout, "%g", options->timeout);
    for (const char *const *word = words; *word; word++)
        task_word(&command, *word);
    task_option(&command, "--timeout", timeout);
    task_all(&command, task); // what is said twice counts as it is said last
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere)
        return false;
    unsetenv("REDUCE_KERNELS");
    int status = watch_program(&command, nowhere, nowhere, options, NULL, &too_long);
    fclose(nowhere);
    return !WIFEXITED(status) ||
           (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != EXIT_UNSUPPORTED);
}

/* The child is gone without a verdict. */
static int whose_fault(const struct options *options, const struct task *task, bool too_long)
{
    const bool learners = options->kernel || getenv("REDUCE_KERNELS");
    const bool own_too = !learners || own_kernel_fails(options, task);
    char what[60] = "the OpenCL runtime crashed";
    if (too_long)
        snprintf(what, sizeof what, "no result for %g s (--timeout)", options->timeout);
    if (options->check)
        puts("Bail out!  standard error says why"); // TAP's word for an end before the plan line
    (void)fflush(stdout);
    fprintf(stderr, "%s: %s%s", program_name, what, place(task));
    if (own_too)
        fprintf(stderr,
                ", with the step's own kernel%s: the runtime is at fault, or lacks memory or a "
                "tool such as ld, if "
                "nobody edited kernels/: try another --device, or --subgroups local\n",
                learners ? " too" : "");
    else
        fprintf(stderr, ": does %s? --races says where\n",
                too_long ? "each loop end, do all work-items reach each barrier"
                         : "the kernel write out of bounds, or hold large private arrays");
    return own_too ? EXIT_SETUP : EXIT_WRONG;
}

int watched(const struct options *options, int (*work)(void *about), void *about)
{
    sigset_t before;
    bool too_long;
    at_work =
        mmap(NULL, sizeof *at_work, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at_work == MAP_FAILED)
        fail("the host has no %zu bytes of memory left", sizeof *at_work);
    task_option(&at_work->task, "--device", options->device);
    task_option(&at_work->task, "--variant", options->variant);
    pid_t child = fork_child(&before);
    if (child == 0) {
        setvbuf(stdout, NULL, _IOLBF, 0); // what was printed before a crash is not lost
        on_purpose = &at_work->on_purpose;
        leave(work(about));
    }
    const int status = wait_for(child, options, at_work, &too_long);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (WIFEXITED(status) && at_work->on_purpose)
        return WEXITSTATUS(status);
    if (!too_long)
        end_alike(status);
    return whose_fault(options, &at_work->task, too_long);
}
