/* --races: the program starts itself again inside Oclgrind, a simulator that sees each access to
 * memory.
 *
 *   --races  ->  oclgrind … --races --n 5000  ->  its log  ->  findings
 *
 * Oclgrind's exit status says nothing: what it has seen is in its log. Each process has one thread,
 * and plans once, for one n: 21.10 takes memory for uninitialized where a smaller buffer was
 * released before.
 */
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

/* One case, and what the program and Oclgrind say: a file without a name leaves nothing behind. */
struct watched_case {
    struct trial trial;
    const char *words[40]; // the command, ended by NULL
    char texts[5][24];     // of numbers among them
    int count, numbers;
    FILE *said;
};

/* Nothing if there is no value. */
static void add(struct watched_case *one, const char *name, const char *value)
{
    if (!value)
        return;
    one->words[one->count++] = name;
    one->words[one->count++] = value;
}

static void add_number(struct watched_case *one, const char *name, uint64_t value)
{
    char *text = one->texts[one->numbers++];
    snprintf(text, sizeof one->texts[0], "%" PRIu64, value);
    add(one, name, value ? text : NULL);
}

/* In a process of its own: Oclgrind takes its place. */
static int run_case(void *about)
{
    const struct watched_case *one = about;
    at_work->trial = one->trial;
    at_work->since = now();
    dup2(fileno(one->said), STDOUT_FILENO);
    dup2(fileno(one->said), STDERR_FILENO);
    execvp(one->words[0], (char *const *)one->words);
    fail("%s: cannot be started", one->words[0]);
}

static int simulate(struct watched_case *one, const struct options *options)
{
    if (one->said)
        fclose(one->said);
    one->said = tmpfile();
    if (!one->said)
        fail("--races: no temporary file can be made: is the disk full?");
    return look_on(options, run_case, one);
}

/* Says what one case has shown. 0, EXIT_WRONG, EXIT_UNSUPPORTED, or EXIT_SETUP. */
static int report_case(const struct watched_case *one, bool uninitialized, int ending)
{
    static struct findings found; // large
    const int status = WIFEXITED(ending) ? WEXITSTATUS(ending) : -1;
    const bool too_long = WIFSIGNALED(ending) && WTERMSIG(ending) == TOO_LONG;
    char where[120];
    findings_read(one->said, &found);
    snprintf(where, sizeof where, "%s %s%s:", program_name, one->trial.variant->name,
             place_of(&one->trial));
    const struct {
        bool so;
        int result;
        const char *text;
    } verdicts[] = {
        { *found.skipped, EXIT_UNSUPPORTED, found.skipped },
        { status == EXIT_SETUP, EXIT_SETUP, NULL }, // it has said why
        { too_long, EXIT_WRONG,
          "no result within --timeout: does each loop end, do all reach each barrier?" },
        { found.count > 0, EXIT_WRONG, "" },
        { status == EXIT_WRONG, EXIT_WRONG,
          "nothing found, but the result is wrong: --check says what is lost" },
        { status != 0, EXIT_UNSUPPORTED, "Oclgrind itself fails" },
        { uninitialized, 0, "nothing found" },
        { true, 0,
          "nothing found; uninitialized values were not looked for, where Oclgrind crashes or "
          "errs" },
    };
    int i = 0;
    while (!verdicts[i].so)
        i++;
    rewind(one->said);
    for (int c = 0; verdicts[i].result == EXIT_SETUP && (c = getc(one->said)) != EOF;)
        putc(c, stderr);
    if (verdicts[i].text)
        printf("%s%s%s\n", where, *verdicts[i].text ? " " : "", verdicts[i].text);
    for (int k = 0; k < found.count; k++)
        printf("  %s (%u times)\n", found.text[k], found.times[k]);
    return verdicts[i].result;
}

/* One case; returns as report_case does. */
static int watch(const struct session *session, struct trial trial)
{
    const struct options *options = session->options;
    const char *lanes = options->sub_groups;
    char program[32];
    if (!lanes && (trial.variant->needs & SUB_GROUPS))
        lanes = "local:8"; // Oclgrind has none: the stand-in, with lanes that exchange something
    snprintf(program, sizeof program, "/proc/%d/exe", (int)getpid());
    // 21.10 takes for uninitialized what a comparison has chosen: no extreme is free of that.
    bool uninitialized = !trial.operation->has_extreme;
    struct watched_case one = { .trial = trial,
                                .words = { "oclgrind", "--num-threads", "1", "--data-races",
                                           uninitialized ? "--uninitialized" : "--data-races",
                                           program, "--races" },
                                .count = 7 };
    add(&one, "--variant", trial.variant->name);
    add(&one, "--op", trial.operation->op);
    add(&one, "--type", trial.operation->type);
    add(&one, "--subgroups", lanes);
    add(&one, "--kernel", options->kernel);
    add_number(&one, "--n", trial.n);
    add_number(&one, "--group", trial.geometry.group);
    add_number(&one, "--groups", trial.geometry.groups);
    add_number(&one, "--width", (uint64_t)trial.geometry.width);
    one.words[one.count] = options->force ? "--force" : NULL;
    int ending = simulate(&one, options);
    if (WIFSIGNALED(ending) && WTERMSIG(ending) != TOO_LONG && uninitialized) {
        uninitialized = false; // 21.10 trips over vectors
        one.words[4] = one.words[3];
        ending = simulate(&one, options);
    }
    return report_case(&one, uninitialized, ending);
}

int races(const struct session *session)
{
    const struct options *options = session->options;
    const uint64_t usual_n = 5000; // a few groups in each variant, the last one in part
    const struct numbers *n = &options->n, *group = &options->group, *width = &options->width;
    int wrong = 0, ran = 0;
    if (options->device) { // inside there is one, Oclgrind's; a wrong name is a mistake, even so
        struct device device = device_open(options->device);
        device_close(&device);
    }
    unsetenv("REDUCE_DEVICE");
    if (system("command -v oclgrind >/dev/null") != 0) {
        fprintf(stderr,
                "%s: --races needs oclgrind, a package of Debian 12 and of Ubuntu that `make deps` "
                "installs; elsewhere build it from github.com/jrprice/Oclgrind\n",
                program_name);
        return EXIT_UNSUPPORTED;
    }
    for (int v = 0; session->variants[v]; v++) {
        for (int i = 0; i == 0 || i < n->count; i++) {
            for (int g = 0; g == 0 || g < group->count; g++) {
                for (int w = 0; w == 0 || w < width->count; w++) {
                    const int status = watch(
                        session, (struct trial) { session->variants[v], session->operations[0],
                                                  session_geometry(session, g, w),
                                                  n->count ? n->value[i] : usual_n });
                    if (status == EXIT_SETUP)
                        return EXIT_SETUP;
                    wrong += status == EXIT_WRONG;
                    ran += status != EXIT_UNSUPPORTED;
                }
            }
        }
    }
    return wrong ? EXIT_WRONG : ran ? 0 : EXIT_UNSUPPORTED;
}
