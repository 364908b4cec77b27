/* --races: this program starts itself again inside Oclgrind, a simulator that sees each access to
 * memory. oclgrind.py does that, and reads what the simulator logs: it takes this process's place.
 */
#define _DEFAULT_SOURCE // sys/prctl.h
#include "races.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* A further word, of numbers: "64,256,". */
static void put_list(FILE *to, const struct numbers *numbers)
{
    fputc(' ', to);
    for (int i = 0; i < numbers->count; i++)
        fprintf(to, "%" PRIu64 ",", numbers->value[i]);
}

/* What oclgrind.py must know, a word each. */
static char *facts_of(const struct session *session)
{
    const struct options *options = session->options;
    const bool any_operation = !options->op && !options->type && !session->step->operation;
    char *facts;
    size_t length;
    FILE *to = open_memstream(&facts, &length);
    if (!to)
        fail("the host has no memory left");
    fprintf(to, "%s %g %d %d ", program_name, options->timeout, session->operations[0]->has_extreme,
            any_operation);
    for (int v = 0; session->variants[v]; v++)
        fprintf(to, "%s,", session->variants[v]->name);
    put_list(to, &options->n);
    put_list(to, &options->group);
    put_list(to, &options->width);
    fclose(to);
    return facts;
}

/* Fails, or does not come back. */
static _Noreturn void start(const struct session *session)
{
    char script[4200], program[4096] = "";
    snprintf(script, sizeof script, "%s", beside_program("common/check/oclgrind.py"));
    (void)!readlink("/proc/self/exe", program, sizeof program - 1);
    const char *words[128] = { "python3", script, facts_of(session), program };
    int count = 4;
    for (char **given = session->options->words + 1; *given && count < 127; given++)
        words[count++] = *given;
    if (access(script, R_OK) != 0)
        fail("--races: there is no %s", script);
    execvp(words[0], (char *const *)words);
    fail("--races: python3 cannot be started");
}

int races(struct session *session, int (*work)(void *session))
{
    const char *libraries = getenv("LD_PRELOAD"); // Oclgrind's way in
    if (libraries && strstr(libraries, "oclgrind")) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // it ends with oclgrind.py
        session->only =
            (struct trial) { session->variants[0], session->operations[0],
                             session_geometry(session, 0, 0), session->options->n.value[0] };
        return work(session);
    }
    if (session->options->device) { // a wrong name is a mistake, even so
        struct device device = device_open(session->options->device);
        device_close(&device);
    }
    if (system("command -v oclgrind >/dev/null && command -v python3 >/dev/null") == 0)
        start(session);
    fprintf(stderr,
            "%s: --races needs oclgrind, and python3: on Debian 12 and Ubuntu `make deps` installs "
            "it, elsewhere build it from github.com/jrprice/Oclgrind\n",
            program_name);
    return EXIT_UNSUPPORTED;
}
