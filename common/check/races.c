/* --races: the program starts itself again inside Oclgrind, a simulator that sees each access to
 * memory.
 *
 *   --races  ->  oclgrind … --races --n 5000  ->  its log, for people: thousands of reports
 *
 * Oclgrind's exit status says nothing. Each process has one thread, and plans once, for one n:
 * 21.10 takes memory for uninitialized where a smaller buffer was released before. */
#include "races.h"

#include "findings.h"
#include "watch.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool races_inside(void)
{
    const char *libraries = getenv("LD_PRELOAD"); // Oclgrind's way in
    return libraries && strstr(libraries, "oclgrind");
}

/* One case, and what the program and Oclgrind say of it: a file without a name leaves nothing. */
struct one_case {
    const struct options *options;
    struct trial trial;
    bool other;         // another operation than was asked for
    bool uninitialized; // reads of what nobody wrote are looked for
    FILE *said;
};

/* Says what one case has shown. 0, EXIT_WRONG, EXIT_UNSUPPORTED, or EXIT_SETUP. */
static int report_case(const struct one_case *one, int ending)
{
    static struct findings found; // large
    const int status = WIFEXITED(ending) ? WEXITSTATUS(ending) : -1;
    const bool too_long = WIFSIGNALED(ending) && WTERMSIG(ending) == TOO_LONG;
    read_findings(one->said, &found);
    rewind(one->said);
    for (int c = 0; status == EXIT_SETUP && !*found.skipped && (c = getc(one->said)) != EOF;)
        putc(c, stderr); // it has said why
    const struct {
        bool so;
        int result;
        const char *text;
    } verdicts[] = {
        { *found.skipped, EXIT_UNSUPPORTED, found.skipped },
        { status == EXIT_SETUP, EXIT_SETUP, "" },
        { too_long, EXIT_WRONG, "no result within --timeout: do all reach each barrier?" },
        { found.count > 0, EXIT_WRONG, "found" },
        { status == EXIT_WRONG && one->other, EXIT_UNSUPPORTED,
          "not judged, as it does not combine()" },
        { status == EXIT_WRONG, EXIT_WRONG, "nothing found, but the result is wrong: --check" },
        { status != 0, EXIT_UNSUPPORTED, "Oclgrind itself fails" },
        { one->uninitialized, 0, "nothing found" },
        { true, 0, "nothing found; uninitialized values not looked for, where Oclgrind errs" },
    };
    int i = 0;
    while (!verdicts[i].so)
        i++;
    if (verdicts[i].result != EXIT_SETUP)
        printf("%s %s%s: %s\n", program_name, one->trial.variant->name, place_of(&one->trial),
               verdicts[i].text);
    for (int k = 0; k < found.count; k++)
        printf("  %s%s (%u times)\n", found.report[k].kind, found.report[k].place,
               found.report[k].times);
    return verdicts[i].result;
}

/* ---- one case after the other */
/* In a process whose place Oclgrind takes: the command line again, behind it what is this case's.
 */
static int run_case(void *about)
{
    const struct one_case *one = about;
    const struct trial *trial = &one->trial;
    char program[32], variant[64], n[32], op[32], type[32], group[32], width[32];
    const char *also = one->uninitialized ? "--uninitialized" : "--data-races";
    const char *words[128] = { "oclgrind", "--num-threads", "1", "--data-races", also, program };
    int count = 6;
    snprintf(program, sizeof program, "/proc/%d/exe", (int)getppid());
    snprintf(variant, sizeof variant, "--variant=%s", trial->variant->name);
    snprintf(n, sizeof n, "--n=%" PRIu64, trial->n);
    snprintf(op, sizeof op, "--op=%s", trial->operation->op);
    snprintf(type, sizeof type, "--type=%s", trial->operation->type);
    snprintf(group, sizeof group, "--group=%zu", trial->geometry.group);
    snprintf(width, sizeof width, "--width=%d", trial->geometry.width);
    for (char **given = one->options->words + 1; *given && count < 110; given++)
        words[count++] = *given;
    words[count++] = "--device="; // there is one, Oclgrind's
    words[count++] = variant;
    words[count++] = n;
    words[count++] = op;
    words[count++] = type;
    if (trial->geometry.group)
        words[count++] = group;
    if (trial->geometry.width)
        words[count++] = width;
    // Oclgrind has no sub-groups: the stand-in, with lanes that exchange something.
    if ((trial->variant->needs & SUB_GROUPS) && !one->options->sub_groups)
        words[count++] = "--subgroups=local:8";
    at_work->trial = *trial;
    at_work->since = now();
    unsetenv("REDUCE_DEVICE");
    execvp(words[0], (char *const *)words);
    fail("%s: cannot be started", words[0]);
}

static int simulate(struct one_case *one)
{
    if (one->said)
        fclose(one->said);
    one->said = tmpfile();
    if (!one->said)
        fail("--races: no temporary file can be made: is the disk full?");
    return look_on(one->options, run_case, one, one->said);
}

/* Returns as report_case does. */
static int watch(const struct session *session, struct trial trial)
{
    // 21.10 takes for uninitialized what a comparison has chosen: no extreme is free of that.
    struct one_case one = { session->options, trial, trial.operation != session->operations[0],
                            !trial.operation->has_extreme, NULL };
    int ending = simulate(&one);
    if (WIFSIGNALED(ending) && WTERMSIG(ending) != TOO_LONG && one.uninitialized) {
        one.uninitialized = false; // 21.10 trips over vectors
        ending = simulate(&one);
    }
    return report_case(&one, ending);
}

int races(const struct session *session)
{
    const struct options *options = session->options;
    // A few groups in each variant, the last one in part; several rounds of each; another
    // operation.
    const uint64_t usual[] = { 5000, 20000, 1000 }, *n = usual;
    const int given = options->n.count,
              sizes = given                          ? given
                      : options->op || options->type ? 2
                                                     : 3,
              groups = options->group.count ? options->group.count : 1,
              widths = options->width.count ? options->width.count : 1;
    int wrong = 0, ran = 0;
    if (options->device) { // a wrong name is a mistake, even so
        struct device device = device_open(options->device);
        device_close(&device);
    }
    if (system("command -v oclgrind >/dev/null") != 0) {
        fprintf(stderr,
                "%s: --races needs oclgrind: on Debian 12 and Ubuntu `make deps` installs it, "
                "elsewhere build it from github.com/jrprice/Oclgrind\n",
                program_name);
        return EXIT_UNSUPPORTED;
    }
    if (given)
        n = options->n.value;
    for (int v = 0; session->variants[v]; v++) {
        int status = 0; // of the usual sizes none behind one that shows something
        for (int i = 0; i < sizes * groups * widths && (given || status != EXIT_WRONG); i++) {
            const int size = i / widths / groups;
            const struct trial trial = { session->variants[v],
                                         size == 2 && !given ? operation_find("min", "float")
                                                             : session->operations[0],
                                         session_geometry(session, i / widths % groups, i % widths),
                                         n[size] };
            status = watch(session, trial);
            if (status == EXIT_SETUP)
                return EXIT_SETUP;
            wrong += status == EXIT_WRONG;
            ran += status != EXIT_UNSUPPORTED;
        }
    }
    return wrong ? EXIT_WRONG : ran ? 0 : EXIT_UNSUPPORTED;
}
