/* --races: the program starts itself again inside Oclgrind, a simulator that sees each access to memory.
 *
 *   ./step06 --races  ->  oclgrind … ./step06 --races --check --n 1000  ->  its log  ->  a line for each finding
 *
 * Oclgrind's exit status says nothing: what it has seen is in its log. Each process has one thread, and plans once, for
 * one n: 21.10 takes memory for uninitialized where a smaller buffer was released before.
 */
#include "races.h"

#include "fail.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FINDINGS = 64, WORDS = 40, NO_OCLGRIND = 127 };

bool races_watched(void)
{
    const char *libraries = getenv("LD_PRELOAD"); // Oclgrind's way in
    return libraries && strstr(libraries, "oclgrind");
}

/* Starts Oclgrind on one case; the wait status, and what the program itself says in out[]. */
static int run_watched(const struct options *options, const struct variant *variant, uint64_t n, uint64_t group,
                       bool uninitialized, const char *log, const char *out)
{
    char program[4096], n_text[24], group_text[24], groups_text[24];
    const char *words[WORDS] = { "oclgrind", "--num-threads", "1", "--data-races", "--log", log };
    int count = 6;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    snprintf(n_text, sizeof n_text, "%" PRIu64, n);
    snprintf(group_text, sizeof group_text, "%" PRIu64, group);
    snprintf(groups_text, sizeof groups_text, "%" PRIu64, options->groups.value[0]);

    const struct {
        const char *name, *value;
    } given[] = { { "--variant", variant->name },
                  { "--n", n_text },
                  { "--op", options->op ? options->op : "sum" },
                  { "--type", options->type ? options->type : "int" },
                  { "--kernel", options->kernel },
                  { "--group", group ? group_text : NULL },
                  { "--groups", options->groups.count ? groups_text : NULL },
                  // Oclgrind has no sub-groups: the stand-in takes their place, with lanes that exchange something.
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

    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("REDUCE_DEVICE"); // there is one device inside, and it is Oclgrind's
        if (freopen(out, "w", stdout))
            execvp("oclgrind", (char *const *)words);
        _exit(NO_OCLGRIND);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail("--races: no further process can be started");
    return status;
}

/* What one case has shown: each kind and line once, with how often. */
struct findings {
    char text[FINDINGS][200];
    unsigned times[FINDINGS];
    int count;
};

static void add(struct findings *findings, const char *text)
{
    int i = 0;
    while (i < findings->count && strcmp(findings->text[i], text) != 0)
        i++;
    if (i == FINDINGS)
        return;
    if (i == findings->count)
        snprintf(findings->text[findings->count++], sizeof *findings->text, "%s", text);
    findings->times[i]++;
}

/* A report begins at the left margin and goes on indented: which kernel, then the places, "At line 19 (column 5) of
 * file". The line of source below such a place is of the wrong text, as a program is made of several. */
static void read_log(const char *log, struct findings *findings)
{
    char line[1000], kind[100] = "", place[120] = "", text[200];
    bool ours = false, only_atomics = true;
    FILE *stream = fopen(log, "r");
    if (!stream)
        return; // nothing to report: it was never opened
    for (bool more = true; more;) {
        more = fgets(line, sizeof line, stream) != NULL;
        unsigned number;
        char file[80], name[80];
        if (!more || (*line != '\t' && *line != '\n')) {
            // An exchange loop's first read may be overtaken: it is a guess, and the exchange finds out.
            bool guess = only_atomics && strncmp(kind, "Read-write", 10) == 0;
            if (*kind && ours && !guess) {
                snprintf(text, sizeof text, "%s%s", kind, place);
                add(findings, text);
            }
            snprintf(kind, sizeof kind, "%.*s", (int)strcspn(line, "\n"), line);
            char *address = strstr(kind, " address 0x"), *at = strstr(kind, " at ");
            if (at && address) // "... race at local memory address 0x1000" -> "... race in local memory"
                memcpy(at, " in ", 4);
            if (address)
                *address = '\0';
            ours = false;
            only_atomics = true;
            *place = '\0';
        } else if (sscanf(line, " Kernel: %79s", name) == 1) {
            ours = strcmp(name, "reduce") == 0; // not those that make the data and look after it
        } else if (sscanf(line, " At line %u (column %*u) of %79[^:]", &number, file) == 2) {
            bool atomics = strcmp(file, "atomics.clh") == 0;
            if (number > 0 && (!*place || (only_atomics && !atomics))) // rather the kernel's own line
                snprintf(place, sizeof place, ", line %u of %s", number, file);
            only_atomics = only_atomics && atomics;
        }
    }
    fclose(stream);
}

enum { FOLDER_LENGTH = 1000 };

/* One case. 0, EXIT_WRONG, EXIT_UNSUPPORTED, or EXIT_SETUP. */
static int watch(const struct options *options, const struct variant *variant, uint64_t n, uint64_t group,
                 const char *folder)
{
    static struct findings findings;
    char log[FOLDER_LENGTH + 4], out[FOLDER_LENGTH + 4], line[600] = "", where[120], groups[40] = "";
    // 21.10 takes for uninitialized what a comparison has chosen: no minimum or maximum is free of that.
    bool uninitialized = !options->op || strcmp(options->op, "sum") == 0 || strcmp(options->op, "hash") == 0;
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    if (group)
        snprintf(groups, sizeof groups, ", groups of %" PRIu64, group);
    snprintf(where, sizeof where, "%s %s at n = %" PRIu64 "%s", program_name, variant->name, n, groups);

    (void)remove(log);
    int status = run_watched(options, variant, n, group, uninitialized, log, out);
    if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) > 128)) { // 21.10 trips over vectors
        uninitialized = false;
        (void)remove(log);
        status = run_watched(options, variant, n, group, false, log, out);
    }
    findings.count = 0;
    memset(findings.times, 0, sizeof findings.times);
    read_log(log, &findings);
    FILE *stream = fopen(out, "r");
    if (stream) {
        (void)fgets(line, sizeof line, stream);
        fclose(stream);
    }
    (void)remove(log);
    (void)remove(out);

    const char *skip = strstr(line, "# SKIP ");
    int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (exit_status == NO_OCLGRIND) {
        fprintf(stderr, "%s: --races needs oclgrind: `make deps` installs it where there is a package\n", program_name);
        return EXIT_UNSUPPORTED;
    }
    if (exit_status == EXIT_SETUP)
        return EXIT_SETUP; // it has said why on standard error
    if (skip) {
        printf("%s: not under Oclgrind: %s", where, skip + strlen("# SKIP "));
        return EXIT_UNSUPPORTED;
    }
    bool failed = exit_status != 0 && exit_status != EXIT_WRONG;
    bool wrong = exit_status == EXIT_WRONG && findings.count == 0;
    printf("%s:%s\n", where,
           findings.count > 0 ? ""
           : failed           ? " Oclgrind itself fails"
           : wrong            ? " nothing found, but the result is wrong: --check says what is lost"
           : uninitialized
               ? " nothing found"
               : " nothing found; uninitialized values were not looked for, where Oclgrind crashes or errs");
    for (int i = 0; i < findings.count; i++)
        printf("  %s (%u times)\n", findings.text[i], findings.times[i]);
    return findings.count > 0 || wrong ? EXIT_WRONG : failed ? EXIT_UNSUPPORTED : 0;
}

/* All cases. EXIT_SETUP ends them. */
static int watch_all(const struct options *options, const struct variant *const *variants, const char *folder)
{
    const uint64_t usual_n = 5000; // a few groups in each variant, the last one in part
    int wrong = 0, ran = 0;
    for (; *variants; variants++) {
        for (int i = 0; i < (options->n.count ? options->n.count : 1); i++) {
            for (int g = 0; g < (options->group.count ? options->group.count : 1); g++) {
                int status = watch(options, *variants, options->n.count ? options->n.value[i] : usual_n,
                                   options->group.count ? options->group.value[g] : 0, folder);
                if (status == EXIT_SETUP)
                    return EXIT_SETUP;
                wrong += status == EXIT_WRONG;
                ran += status != EXIT_UNSUPPORTED;
            }
        }
    }
    return wrong ? EXIT_WRONG : ran ? 0 : EXIT_UNSUPPORTED;
}

int races(const struct options *options, const struct variant *const *variants)
{
    const char *parent = getenv("TMPDIR");
    char folder[FOLDER_LENGTH];
    parent = parent && *parent ? parent : "/tmp";
    snprintf(folder, sizeof folder, "%s/reduce_races_XXXXXX", parent);
    if (!mkdtemp(folder))
        fail("--races: no folder can be made in %s: TMPDIR may name another", parent);
    int status = watch_all(options, variants, folder);
    (void)rmdir(folder);
    return status;
}
