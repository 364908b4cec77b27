/* --races: the program starts itself again inside Oclgrind, a simulator that sees each access to
 * memory.
 *
 *   ./step06 --races  ->  oclgrind … ./step06 --races --n 5000  ->  its log  ->  awk  ->  findings
 *
 * Oclgrind's exit status says nothing: what it has seen is in its log. Each process has one thread,
 * and plans once, for one n: 21.10 takes memory for uninitialized where a smaller buffer was
 * released before.
 */
#include "races.h"

#include "operations.h"
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

/* The log is for people: thousands of reports of one kind and place.
 *
 *   Read-write data race at local memory address 0x1000     at the left margin a report begins
 *           Kernel: reduce                                  whose it is: the rest makes the data
 *             %0 = load i32, …                              what an access does
 *           At line 19 (column 5) of 03_local_tree.cl:      where: rather not in atomics.clh
 *
 * awk makes one line of each kind and place. What a compare-exchange loop reads before may be
 * overtaken: it is a guess, and the exchange finds out. */
static const char findings[] =
    "function finish() {\n"
    "    if (!ours || kind ~ /^Read-write/ && load && exchange) return\n"
    "    key = kind; sub(/[0-9].*/, \"\", key); key = key place\n"
    "    if (!times[key]++) { keys[++count] = key; text[key] = kind place }\n"
    "}\n"
    "/^[^\\t]/ {\n"
    "    finish(); kind = $0; place = \"\"; ours = load = exchange = 0\n"
    "    if (sub(/ address 0x.*/, \"\", kind)) sub(/ at /, \" in \", kind)\n"
    "}\n"
    "/^\\tKernel:/ { ours = $2 == \"reduce\" }\n"
    "/ = load / { load = 1 }\n"
    "/cmpxchg|compare_exchange/ { exchange = 1 }\n"
    "/^\\tAt line [1-9]/ && (!place || place ~ /atomics.clh/) {\n"
    "    place = $0; sub(/^\\tAt/, \",\", place); sub(/ .column [0-9]+./, \"\", place)\n"
    "    sub(/:$/, \"\", place)\n"
    "}\n"
    "/^not under Oclgrind/ { skip = $0 }\n"
    "fatal && !skip { skip = \"not under Oclgrind, which gives up: \" $0 }\n"
    "/^OCLGRIND FATAL ERROR/ { fatal = 1 }\n"
    "END {\n"
    "    finish()\n"
    "    if (skip) print where \" \" skip\n"
    "    else if (count) print where\n"
    "    for (i = 1; i <= count; i++)\n"
    "        printf \"  %s (%d times)\\n\", text[keys[i]], times[keys[i]]\n"
    "    exit skip ? 77 : count > 0\n"
    "}\n";

/* One case, and what the program and Oclgrind say: a file without a name leaves nothing behind. */
struct watched_case {
    struct task task;
    bool uninitialized; // what nobody wrote is looked for
    FILE *said;
};

/* In a process of its own: Oclgrind takes its place. */
static int run_case(void *about)
{
    const struct watched_case *one = about;
    char program[32];
    const char *also = one->uninitialized ? "--uninitialized" : "--data-races"; // or nothing new
    const char *const words[] = { "oclgrind", "--num-threads", "1",       "--data-races",
                                  also,       program,         "--races", NULL };
    snprintf(program, sizeof program, "/proc/%d/exe", (int)getppid());
    at_work->task = one->task;
    task_begin();
    become(words, &one->task, fileno(one->said));
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
static int report_case(const struct watched_case *one, int ending)
{
    const int status = WIFEXITED(ending) ? WEXITSTATUS(ending) : -1;
    const bool too_long = WIFSIGNALED(ending) && WTERMSIG(ending) == TOO_LONG;
    char where[120], command[sizeof findings + 200];
    snprintf(where, sizeof where, "%s %s%s:", program_name, task_value(&one->task, "--variant"),
             place_of(&one->task));
    snprintf(command, sizeof command, "awk -v where='%s' '%s' /dev/fd/%d", where, findings,
             fileno(one->said));
    (void)fflush(stdout);
    const int awk = system(command), seen = WIFEXITED(awk) ? WEXITSTATUS(awk) : -1;
    const struct {
        bool so;
        int result;
        const char *text;
    } verdicts[] = {
        { seen == EXIT_UNSUPPORTED, EXIT_UNSUPPORTED, NULL }, // awk has said why
        { status == EXIT_SETUP, EXIT_SETUP, NULL },
        { seen != 0 && seen != EXIT_WRONG, EXIT_SETUP, "awk cannot read Oclgrind's log" },
        { too_long, EXIT_WRONG,
          "no result within --timeout: does each loop end, do all reach each barrier?" },
        { seen == EXIT_WRONG, EXIT_WRONG, NULL },
        { status == EXIT_WRONG, EXIT_WRONG,
          "nothing found, but the result is wrong: --check says what is lost" },
        { status != 0, EXIT_UNSUPPORTED, "Oclgrind itself fails" },
        { one->uninitialized, 0, "nothing found" },
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
        printf("%s %s\n", where, verdicts[i].text);
    return verdicts[i].result;
}

/* One case; returns as report_case does. */
static int watch(const struct options *options, const struct variant *variant, uint64_t n,
                 uint64_t group, uint64_t width)
{
    static struct watched_case one; // large
    const struct operation *operation = operation_find(options->op, options->type);
    const char *lanes = options->sub_groups;
    if (!lanes && (variant->needs & SUB_GROUPS))
        lanes = "local:8"; // Oclgrind has none: the stand-in, with lanes that exchange something
    one.task.length = 0;
    task_option(&one.task, "--variant", variant->name);
    task_option(&one.task, "--op", operation->op);
    task_option(&one.task, "--type", operation->type);
    task_option(&one.task, "--subgroups", lanes);
    task_number(&one.task, "--n", n);
    task_number(&one.task, "--group", group);
    task_number(&one.task, "--groups", options->groups.value[0]);
    task_number(&one.task, "--width", width);
    task_option(&one.task, "--kernel", options->kernel);
    if (options->force)
        task_word(&one.task, "--force");
    // 21.10 takes for uninitialized what a comparison has chosen: no extreme is free of that.
    one.uninitialized = !operation->has_extreme;
    int ending = simulate(&one, options);
    if (WIFSIGNALED(ending) && WTERMSIG(ending) != TOO_LONG && one.uninitialized) {
        one.uninitialized = false; // 21.10 trips over vectors
        ending = simulate(&one, options);
    }
    return report_case(&one, ending);
}

int races(const struct options *options, const struct variant *const *variants)
{
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
    for (; *variants; variants++) {
        for (int i = 0; i == 0 || i < n->count; i++) {
            for (int g = 0; g == 0 || g < group->count; g++) {
                for (int w = 0; w == 0 || w < width->count; w++) {
                    int status = watch(options, *variants, n->count ? n->value[i] : usual_n,
                                       group->value[g], width->value[w]);
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
