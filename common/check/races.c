/* --races: this program starts itself again inside Oclgrind, a simulator that sees each access to
 * memory, for one trial after the other.
 *
 *   STEP --races   looks on   python3 oclgrind.py   reads the log of   oclgrind STEP --races
 *
 * Each trial has a process, as 21.10 takes memory for uninitialized where a smaller buffer was
 * released before.
 */
#define _DEFAULT_SOURCE // sys/prctl.h
#include "races.h"

#include "watch.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char trial_number[] = "REDUCE_TRIAL"; // tells it to the process inside

/* The trial of that number, of those that the command line asks for, or of the usual ones: a few
 * groups, the last one in part; several rounds of the largest; another operation. False: there are
 * no more. */
static bool choose_trial(struct session *session, int number)
{
    const struct options *options = session->options;
    const bool any_operation = !options->op && !options->type && !session->step->operation;
    const struct numbers usual = { { 5000, 20000, 1000 }, any_operation ? 3 : 2 },
                         *sizes = options->n.count ? &options->n : &usual;
    const int geometries = session_geometries(session), size = number / geometries % sizes->count;
    struct trial *trial = &session->only;
    *trial = (struct trial) { session->variants[number / geometries / sizes->count],
                              session->operations[0],
                              session_geometry(session, number % geometries), sizes->value[size] };
    if (sizes == &usual && size == 1 && !options->group.count)
        trial->geometry.group = 1024; // or the plan's own, where that does not fit
    if (sizes == &usual && size == 2)
        trial->operation = operation_find("min", "float");
    return trial->variant != NULL;
}

/* In a process of its own, which oclgrind.py takes over. */
static int simulate(void *about)
{
    const struct session *session = about;
    const struct trial *trial = &session->only;
    const bool wished = trial->geometry.group && !session->options->group.count;
    char head[200]; // "STEP associative at n = 20000, groups of 1024 at most"
    const char *words[128] = { "python3", beside_program("common/check/oclgrind.py"), head, "sum" };
    int count = 4;
    at_work->trial = *trial;
    at_work->since = now();
    snprintf(head, sizeof head, "%s %s%s%s", program_name, trial->variant->name, place_of(trial),
             wished ? " at most" : "");
    if (trial->operation->has_extreme)
        words[3] = trial->operation == session->operations[0] ? "extreme" : "another extreme";
    for (char **given = session->options->words; *given && count < 126; given++)
        words[count++] = *given;
    words[4] = realpath("/proc/self/exe", NULL); // by whatever name it was called
    words[count] = "--device=";                  // there is one, Oclgrind's
    unsetenv("REDUCE_DEVICE");
    execvp(words[0], (char *const *)words);
    fail("--races: python3 cannot be started");
}

int races(struct session *session, int (*work)(void *session))
{
    const struct options *options = session->options;
    const char *libraries = getenv("LD_PRELOAD"), *told = getenv(trial_number);
    const bool inside = libraries && strstr(libraries, "oclgrind"); // that is its way in
    const struct variant *shown = NULL;
    int worst = EXIT_UNSUPPORTED; // a wrong one, else a right one
    if (inside && choose_trial(session, told ? atoi(told) : 0)) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // it ends with oclgrind.py
        return work(session);
    }
    if (options->device) { // a wrong name is a mistake, even so
        struct device device = device_open(options->device);
        device_close(&device);
    }
    if (system("command -v oclgrind >/dev/null && command -v python3 >/dev/null") != 0) {
        fprintf(stderr,
                "%s: --races needs oclgrind, and python3: on Debian 12 and Ubuntu `make deps` "
                "installs it, elsewhere build it from github.com/jrprice/Oclgrind\n",
                program_name);
        return EXIT_UNSUPPORTED;
    }
    for (int i = 0; choose_trial(session, i); i++) {
        char number[16];
        if (session->only.variant == shown)
            continue; // of the usual ones none behind one that shows something
        snprintf(number, sizeof number, "%d", i);
        setenv(trial_number, number, true);
        const int status = look_on(simulate, session, false);
        if (status < 0)
            fail("--races: python3 was ended by signal %d", -status);
        if (status != 0 && status != EXIT_WRONG && status != EXIT_UNSUPPORTED)
            return EXIT_SETUP; // and why has been said
        if (status == EXIT_WRONG || worst == EXIT_UNSUPPORTED)
            worst = status;
        if (status == EXIT_WRONG && !options->n.count)
            shown = session->only.variant;
    }
    return worst;
}
