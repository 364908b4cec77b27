/* Two processes: what touches OpenCL is done in a child, which may hang or crash; its parent can
 * still say so.
 *
 *   parent   fork   looks: nothing runs   n = 1000 since 5 s: says so   at the limit: ends it
 *                \
 *   child         device, plan, launch …   trial and since, in memory that both see
 */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "watch.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

const char *place_of(const struct trial *trial)
{
    static char text[80];
    const uint64_t n = trial->n;
    const size_t group = trial->geometry.group;
    snprintf(text, sizeof text, "%s%.0" PRIu64 "%s%.0zu", n ? " at n = " : "", n, // %.0: no 0
             group ? ", groups of " : "", group);
    return text;
}

/* The child: it ends with its parent, and what it printed before a crash is not lost. */
static _Noreturn void child(int (*work)(void *session), struct session *session, bool silent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGALRM, SIG_DFL);
    if (silent && !(freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)))
        fail("/dev/null cannot be opened");
    setvbuf(stdout, NULL, _IOLBF, 0);
    on_purpose = &at_work->on_purpose;
    leave(work(session));
}

static void wake(int signal) { (void)signal; } // from waitpid(), for a look

int look_on(int (*work)(void *session), struct session *session, bool silent)
{
    double since = 0; // at the last look
    bool warned = false;
    int status = 0;
    signal(SIGCHLD, SIG_DFL); // or there would be no status to wait for
    sigaction(SIGALRM, &(struct sigaction) { .sa_handler = wake }, NULL); // not to be restarted
    at_work =
        mmap(NULL, sizeof *at_work, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at_work == MAP_FAILED)
        fail("the host has no %zu bytes of memory left", sizeof *at_work);
    (void)fflush(stdout);
    const pid_t pid = fork();
    if (pid < 0)
        fail("no further process can be started");
    if (pid == 0)
        child(work, session, silent);
    // A signal a second: one that comes before waitpid() does is followed by another.
    const struct timeval second = { .tv_sec = 1 }, never = { 0 };
    setitimer(ITIMER_REAL, &(struct itimerval) { second, second }, NULL);
    // Looks are counted, not seconds: while both processes are stopped, no time goes by.
    for (int looks = 0; waitpid(pid, &status, 0) < 0; looks++) {
        if (at_work->since != since || since == 0)
            looks = 0;
        since = at_work->since;
        if (looks > 5 && !warned) {
            warned = true;
            fprintf(stderr, "%s: still waiting for the kernel%s; does each loop end?\n",
                    program_name, place_of(&at_work->trial));
        }
        if (looks > session->options->timeout)
            kill(pid, SIGALRM);
    }
    setitimer(ITIMER_REAL, &(struct itimerval) { never, never }, NULL);
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    // Ended from outside, this process ends in the same way.
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGPIPE)
        raise(signal);
    return signal ? -signal : WEXITSTATUS(status);
}

/* What the session was at, once more with the kernel that comes with the step: says nothing. */
static int try_own_kernel(const struct session *session, int (*work)(void *session))
{
    struct session same = *session;
    struct options options = *session->options;
    options.kernel = options.out = NULL;
    options.given = 0; // none of them is a mistake here, though only another variant uses it
    same.options = &options;
    same.only = at_work->trial;
    if (!same.only.variant) // nothing has been planned
        same.only = (struct trial) { session->variants[0], session->operations[0] };
    if (!same.only.n)
        same.only.n = 1;
    unsetenv("REDUCE_KERNELS");
    return look_on(work, &same, true);
}

/* The child is gone without a verdict. */
static int whose_fault(const struct session *session, int (*work)(void *session), int status)
{
    const struct options *options = session->options;
    const struct trial trial = at_work->trial;
    const bool too_long = status == -SIGALRM,
               learners = options->kernel || getenv("REDUCE_KERNELS");
    // What the step's own kernel does; if that is unsupported, nothing is known.
    const int own = learners ? try_own_kernel(session, work) : EXIT_SETUP;
    const bool own_too = own != 0 && own != EXIT_UNSUPPORTED;
    char what[60] = "the OpenCL runtime crashed";
    if (too_long)
        snprintf(what, sizeof what, "no result for %g s (--timeout)", options->timeout);
    if (options->check)
        puts("Bail out!  standard error says why"); // TAP's word for an end before the plan line
    (void)fflush(stdout);
    fprintf(stderr, "%s: %s%s", program_name, what, place_of(&trial));
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

int watched(struct session *session, int (*work)(void *session))
{
    const int status = look_on(work, session, false);
    return status >= 0 && at_work->on_purpose ? status : whose_fault(session, work, status);
}
