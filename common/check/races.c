/* --races: the program starts itself again inside Oclgrind, a simulator that sees each access to
 * memory.
 *
 *   --races  ->  oclgrind … --races --check --n 1000  ->  its log  ->  a line for each finding
 *
 * Oclgrind's exit status says nothing: what it has seen is in its log. Each process has one thread,
 * and plans once, for one n: 21.10 takes memory for uninitialized where a smaller buffer was
 * released before.
 */
#include "races.h"

#include "findings.h"
#include "operations.h"
#include "watch.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool races_inside(void)
{
    const char *libraries = getenv("LD_PRELOAD"); // Oclgrind's way in
    return libraries && strstr(libraries, "oclgrind");
}

/* One case, and where it leaves what it says: files without a name, so that nothing is left behind.
 */
struct watched_case {
    struct task task;
    char where[120];
    bool uninitialized, too_long; // what nobody wrote is looked for; it was ended at --timeout
    FILE *log, *out, *err;
};

/* Starts Oclgrind on it; the wait status. */
static int run_case(struct watched_case *one, const struct options *options)
{
    static const char *const oclgrind[] = { "oclgrind", "--num-threads", "1", "--data-races",
                                            NULL };
    struct task command = { .length = 0 };
    char program[4096], log[32];
    FILE **files[] = { &one->log, &one->out, &one->err };
    for (int i = 0; i < 3; i++) {
        FILE **file = files[i];
        if (*file)
            fclose(*file);
        *file = tmpfile();
        if (!*file)
            fail("--races: no temporary file can be made: is the disk full?");
    }
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    snprintf(log, sizeof log, "/dev/fd/%d", fileno(one->log));
    for (const char *const *word = oclgrind; *word; word++)
        task_word(&command, *word);
    task_option(&command, "--log", log);
    if (one->uninitialized)
        task_word(&command, "--uninitialized");
    task_word(&command, program);
    task_option(&command, "--races", "--check");
    task_all(&command, &one->task);
    return watch_program(&command, one->out, one->err, options, &one->task, &one->too_long);
}

/* A line of what a case has said that has these words in it, or NULL. */
static const char *line_with(FILE *stream, const char *words)
{
    static char line[1000];
    rewind(stream);
    while (fgets(line, sizeof line, stream))
        if (strstr(line, words))
            return line;
    return NULL;
}

/* Where there is no verdict: says why, and returns the exit status; else 0. */
static int no_verdict(const struct watched_case *one, int exit_status)
{
    if (exit_status == NO_PROGRAM) {
        fprintf(stderr,
                "%s: --races needs oclgrind, a package of Debian 12 and of Ubuntu that `make deps` "
                "installs; elsewhere build it from github.com/jrprice/Oclgrind\n",
                program_name);
        return EXIT_UNSUPPORTED;
    }
    if (exit_status == EXIT_SETUP && line_with(one->err, "OCLGRIND FATAL ERROR")) {
        const char *fatal = line_with(one->err, "Undefined");
        printf("%s: not under Oclgrind, which gives up: %s", one->where,
               fatal ? fatal : "it says no more\n");
        return EXIT_UNSUPPORTED;
    }
    rewind(one->err);
    for (int c; (c = getc(one->err)) != EOF;)
        putc(c, stderr);
    if (exit_status == EXIT_SETUP)
        return EXIT_SETUP; // it has said why
    const char *skip = line_with(one->out, "# SKIP ");
    if (skip)
        printf("%s: not under Oclgrind: %s", one->where, strstr(skip, "# SKIP ") + 7);
    return skip ? EXIT_UNSUPPORTED : 0;
}

/* Says what one case has shown. 0, EXIT_WRONG, EXIT_UNSUPPORTED, or EXIT_SETUP. */
static int report_case(const struct watched_case *one, int status)
{
    static struct findings findings;
    const int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
              none = no_verdict(one, exit_status);
    if (none)
        return none;
    findings_read(one->log, &findings);
    const bool failed = exit_status != 0 && exit_status != EXIT_WRONG && !one->too_long;
    const bool wrong = exit_status == EXIT_WRONG && findings.count == 0;
    printf("%s:%s\n", one->where,
           one->too_long
               ? " no result within --timeout: does each loop end, do all reach each barrier?"
           : findings.count > 0 ? ""
           : failed             ? " Oclgrind itself fails"
           : wrong ? " nothing found, but the result is wrong: --check says what is lost"
           : one->uninitialized ? " nothing found"
                                : " nothing found; uninitialized values were not looked for, where "
                                  "Oclgrind crashes or errs");
    for (int i = 0; i < findings.count; i++)
        printf("  %s (%u times)\n", findings.text[i], findings.times[i]);
    return findings.count > 0 || wrong || one->too_long ? EXIT_WRONG
           : failed                                     ? EXIT_UNSUPPORTED
                                                        : 0;
}

/* One case; returns as report_case does. */
static int watch(const struct options *options, const struct variant *variant, uint64_t n,
                 uint64_t group, uint64_t width)
{
    static struct watched_case one; // large
    const struct operation *operation = operation_find(options->op, options->type);
    const char *lanes = options->sub_groups;
    char groups[40] = "";
    one = (struct watched_case) { .log = NULL };
    if (!lanes && (variant->needs & SUB_GROUPS))
        lanes = "local:8"; // Oclgrind has none: the stand-in, with lanes that exchange something
    task_option(&one.task, "--variant", variant->name);
    task_option(&one.task, "--op", operation->op);
    task_option(&one.task, "--type", operation->type);
    task_option(&one.task, "--subgroups", lanes);
    task_number(&one.task, "--n", n);
    task_number(&one.task, "--group", group);
    task_number(&one.task, "--groups", options->groups.value[0]);
    task_number(&one.task, "--width", width);
    if (options->force)
        task_word(&one.task, "--force");
    task_option(&one.task, "--kernel", options->kernel);
    if (group)
        snprintf(groups, sizeof groups, ", groups of %" PRIu64, group);
    snprintf(one.where, sizeof one.where, "%s %s at n = %" PRIu64 "%s", program_name, variant->name,
             n, groups);

    // 21.10 takes for uninitialized what a comparison has chosen: no extreme is free of that.
    one.uninitialized = !operation->has_extreme;
    int status = run_case(&one, options);
    if (WIFSIGNALED(status) && !one.too_long && one.uninitialized) { // 21.10 trips over vectors
        one.uninitialized = false;
        status = run_case(&one, options);
    }
    const int result = report_case(&one, status);
    fclose(one.log), fclose(one.out), fclose(one.err);
    return result;
}

/* What has no meaning in a simulator: it times nothing, its data is that of --check, and the device
 * is its own. */
static void refuse_useless(const struct options *options)
{
    const char *useless = options->out                 ? "--out"
                          : options->warm              ? "--warm"
                          : options->evict.count       ? "--evict"
                          : options->repetitions.count ? "--reps"
                          : options->seed.count        ? "--seed"
                          : options->uniform           ? "--uniform"
                                                       : NULL;
    if (useless)
        fail("%s: has no use beside --races, which times nothing and has data of its own", useless);
    if (options->device) { // a wrong name is a mistake, even so
        struct device device = device_open(options->device);
        device_close(&device);
    }
}

/* The i-th value of an option's list, or what stands for it; false: there is no such. */
static bool take(const struct numbers *list, int i, uint64_t otherwise, uint64_t *value)
{
    *value = list->count ? list->value[i % LIST] : otherwise;
    return i < (list->count ? list->count : 1);
}

int races(const struct options *options, const struct variant *const *variants)
{
    const uint64_t usual_n = 5000; // a few groups in each variant, the last one in part
    uint64_t n, group, width;
    int wrong = 0, ran = 0;
    refuse_useless(options);
    unsetenv("REDUCE_DEVICE"); // there is one device inside, and it is Oclgrind's
    for (; *variants; variants++) {
        for (int i = 0; take(&options->n, i, usual_n, &n); i++) {
            for (int g = 0; take(&options->group, g, 0, &group); g++) {
                for (int w = 0; take(&options->width, w, 0, &width); w++) {
                    int status = watch(options, *variants, n, group, width);
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
