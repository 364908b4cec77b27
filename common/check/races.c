/* --races: the program starts itself again inside Oclgrind, a simulator that sees each access to
 * memory.
 *
 *   ./step06 --races  ->  oclgrind … ./step06 --races --check --n 1000  ->  its log  ->  a line for
 * each finding
 *
 * Oclgrind's exit status says nothing: what it has seen is in its log. Each process has one thread,
 * and plans once, for one n: 21.10 takes memory for uninitialized where a smaller buffer was
 * released before.
 */
#include "races.h"

#include "device.h"
#include "findings.h"
#include "operations.h"
#include "watch.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 40 };

bool races_watched(void)
{
    const char *libraries = getenv("LD_PRELOAD"); // Oclgrind's way in
    return libraries && strstr(libraries, "oclgrind");
}

/* Where one case leaves what it says: files without a name, so that nothing is left behind. */
struct case_files {
    FILE *log, *out, *err;
};

static struct case_files case_open(void)
{
    struct case_files files = { tmpfile(), tmpfile(), tmpfile() };
    if (!files.log || !files.out || !files.err)
        fail("--races: no temporary file can be made: is the disk full?");
    return files;
}

static void case_close(struct case_files *files)
{
    fclose(files->log);
    fclose(files->out);
    fclose(files->err);
}

/* Starts Oclgrind on one case; the wait status. */
static int run_watched(const struct options *options, const struct variant *variant, uint64_t n,
                       uint64_t group, bool uninitialized, const struct case_files *files,
                       bool *too_long)
{
    char program[4096], n_text[24], group_text[24], groups_text[24], width_text[24], log[32];
    const char *words[WORDS] = { "oclgrind", "--num-threads", "1", "--data-races", "--log", log };
    int count = 6;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    snprintf(log, sizeof log, "/dev/fd/%d", fileno(files->log));
    snprintf(n_text, sizeof n_text, "%" PRIu64, n);
    snprintf(group_text, sizeof group_text, "%" PRIu64, group);
    snprintf(width_text, sizeof width_text, "%" PRIu64, options->width.value[0]);
    snprintf(groups_text, sizeof groups_text, "%" PRIu64, options->groups.value[0]);

    const struct {
        const char *name, *value;
    } given[] = { { "--variant", variant->name },
                  { "--n", n_text },
                  { "--op", options->op ? options->op : operations[0]->op },
                  { "--type", options->type ? options->type : "int" },
                  { "--kernel", options->kernel },
                  { "--group", group ? group_text : NULL },
                  { "--groups", options->groups.count ? groups_text : NULL },
                  { "--width", options->width.count ? width_text : NULL },
                  // Oclgrind has no sub-groups: the stand-in takes their place, with lanes that
                  // exchange something.
                  { "--subgroups", options->sub_groups           ? options->sub_groups
                                   : variant->needs & SUB_GROUPS ? "local:8"
                                                                 : NULL } };
    if (uninitialized)
        words[count++] = "--uninitialized";
    words[count++] = program;
    words[count++] = "--races";
    words[count++] = "--check";
    if (options->force)
        words[count++] = "--force";
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (given[i].value) {
            words[count++] = given[i].name;
            words[count++] = given[i].value;
        }
    }
    const struct task task = { .n = n, .group = group };
    return watch_program(words, files->out, files->err, options, &task, too_long);
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

static void copy(FILE *from, FILE *to)
{
    rewind(from);
    for (int c; (c = getc(from)) != EOF;)
        putc(c, to);
}

/* Says what one case has shown. 0, EXIT_WRONG, EXIT_UNSUPPORTED, or EXIT_SETUP. */
static int report_case(const char *where, const struct case_files *files, int status,
                       bool uninitialized, bool too_long)
{
    static struct findings findings;
    const int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (exit_status == NO_PROGRAM) {
        fprintf(stderr,
                "%s: --races needs oclgrind, a package of Debian 12 and of Ubuntu that `make deps` "
                "installs; elsewhere "
                "build it from github.com/jrprice/Oclgrind\n",
                program_name);
        return EXIT_UNSUPPORTED;
    }
    if (exit_status == EXIT_SETUP && line_with(files->err, "OCLGRIND FATAL ERROR")) {
        const char *fatal = line_with(files->err, "Undefined");
        printf("%s: not under Oclgrind, which gives up: %s", where,
               fatal ? fatal : "it says no more\n");
        return EXIT_UNSUPPORTED;
    }
    copy(files->err, stderr);
    if (exit_status == EXIT_SETUP)
        return EXIT_SETUP; // it has said why
    const char *skip = line_with(files->out, "# SKIP ");
    if (skip) {
        printf("%s: not under Oclgrind: %s", where, strstr(skip, "# SKIP ") + strlen("# SKIP "));
        return EXIT_UNSUPPORTED;
    }
    findings_read(files->log, &findings);
    bool failed = exit_status != 0 && exit_status != EXIT_WRONG && !too_long;
    bool wrong = exit_status == EXIT_WRONG && findings.count == 0;
    printf("%s:%s\n", where,
           too_long ? " no result within --timeout: does each loop end, do all reach each barrier?"
           : findings.count > 0 ? ""
           : failed             ? " Oclgrind itself fails"
           : wrong         ? " nothing found, but the result is wrong: --check says what is lost"
           : uninitialized ? " nothing found"
                           : " nothing found; uninitialized values were not looked for, where "
                             "Oclgrind crashes or errs");
    for (int i = 0; i < findings.count; i++)
        printf("  %s (%u times)\n", findings.text[i], findings.times[i]);
    return findings.count > 0 || wrong || too_long ? EXIT_WRONG : failed ? EXIT_UNSUPPORTED : 0;
}

/* One case; returns as report_case does. */
static int watch(const struct options *options, const struct variant *variant, uint64_t n,
                 uint64_t group)
{
    char where[120], groups[40] = "";
    bool too_long;
    // 21.10 takes for uninitialized what a comparison has chosen: no minimum or maximum is free of
    // that.
    bool uninitialized = !operation_find(options->op, NULL)->has_extreme;
    if (group)
        snprintf(groups, sizeof groups, ", groups of %" PRIu64, group);
    snprintf(where, sizeof where, "%s %s at n = %" PRIu64 "%s", program_name, variant->name, n,
             groups);

    struct case_files files = case_open();
    int status = run_watched(options, variant, n, group, uninitialized, &files, &too_long);
    if (WIFSIGNALED(status) && !too_long && uninitialized) { // 21.10 trips over vectors
        uninitialized = false;
        case_close(&files);
        files = case_open();
        status = run_watched(options, variant, n, group, false, &files, &too_long);
    }
    const int result = report_case(where, &files, status, uninitialized, too_long);
    case_close(&files);
    return result;
}

/* All cases. EXIT_SETUP ends them. */
static int watch_all(const struct options *options, const struct variant *const *variants)
{
    const uint64_t usual_n = 5000; // a few groups in each variant, the last one in part
    int wrong = 0, ran = 0;
    for (; *variants; variants++) {
        for (int i = 0; i < (options->n.count ? options->n.count : 1); i++) {
            for (int g = 0; g < (options->group.count ? options->group.count : 1); g++) {
                int status =
                    watch(options, *variants, options->n.count ? options->n.value[i] : usual_n,
                          options->group.count ? options->group.value[g] : 0);
                if (status == EXIT_SETUP)
                    return EXIT_SETUP;
                wrong += status == EXIT_WRONG;
                ran += status != EXIT_UNSUPPORTED;
            }
        }
    }
    return wrong ? EXIT_WRONG : ran ? 0 : EXIT_UNSUPPORTED;
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

int races(const struct options *options, const struct variant *const *variants)
{
    refuse_useless(options);
    unsetenv("REDUCE_DEVICE"); // there is one device inside, and it is Oclgrind's
    return watch_all(options, variants);
}
