/* --races: the program starts itself again inside Oclgrind, a simulator that sees each access to
 * memory.
 *
 *   --races  ->  oclgrind … --races --n 5000  ->  its log, for people: thousands of reports
 *
 *   Read-write data race at local memory address 0x1000     at the left margin a report begins
 *           Kernel: reduce                                  whose it is: the rest makes the data
 *             %0 = load i32, …                              what an access does
 *           At line 19 (column 5) of tree.cl:               where: rather not in atomics.clh
 *
 * Oclgrind's exit status says nothing. Each process has one thread, and plans once, for one n:
 * 21.10 takes memory for uninitialized where a smaller buffer was released before. */
#include "races.h"

#include "watch.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FINDINGS = 64, LENGTH = 240 };

bool races_inside(void)
{
    const char *libraries = getenv("LD_PRELOAD"); // Oclgrind's way in
    return libraries && strstr(libraries, "oclgrind");
}

/* One case, and what the program and Oclgrind say of it: a file without a name leaves nothing. */
struct one_case {
    const struct options *options;
    struct trial trial;
    bool uninitialized; // reads of what nobody wrote are looked for
    FILE *said;
};

/* ---- what it has seen */
struct report { // one, as far as it is read
    char kind[100], place[120];
    bool ours, load, exchange; // of a kernel named reduce; a plain load, a compare-exchange in it
    unsigned times;
};

struct findings { // each kind and place once, with how often
    struct report report[FINDINGS];
    int count;
    char skipped[LENGTH]; // why there is no verdict, or ""
};

/* Nothing of the first read of a compare-exchange loop: it may be overtaken, as it is a guess, and
 * the exchange finds out. */
static void finish(struct findings *findings, const struct report *report)
{
    const bool guess = strncmp(report->kind, "Read-write", 10) == 0 && report->exchange;
    // "Only 40 out of 64 work-items" is said for each group: the words before a number count.
    const size_t words = strcspn(report->kind, "0123456789");
    struct report *known = findings->report, *end = known + findings->count;
    if (!report->ours || (guess && report->load))
        return;
    while (known < end && (strncmp(known->kind, report->kind, words) != 0 ||
                           strcmp(known->place, report->place) != 0))
        known++;
    if (known == end && findings->count < FINDINGS - 1) {
        *known = *report;
        findings->count++;
    }
    known->times++;
}

/* "… race at local memory address 0x1000" becomes "… race in local memory". */
static struct report begin(const char *line)
{
    struct report report = { .ours = false };
    snprintf(report.kind, sizeof report.kind, "%.99s", line);
    char *address = strstr(report.kind, " address 0x"), *at = strstr(report.kind, " at ");
    if (at && address)
        memcpy(at, " in ", 4);
    if (address)
        *address = '\0';
    return report;
}

/* A line that stands alone: has the program been skipped, or Oclgrind given up? */
static void note_skipped(struct findings *findings, const char *line)
{
    static const char fatal[] = "OCLGRIND FATAL ERROR", not_here[] = "not under Oclgrind";
    if (strncmp(line, not_here, strlen(not_here)) == 0)
        snprintf(findings->skipped, LENGTH, "%.200s", line);
    else if (strcmp(findings->skipped, fatal) == 0) // the reason stands in the line below
        snprintf(findings->skipped, LENGTH, "%s, which gives up: %.150s", not_here, line);
    else if (!*findings->skipped && strncmp(line, fatal, strlen(fatal)) == 0)
        strcpy(findings->skipped, fatal);
}

static void read_findings(FILE *said, struct findings *findings)
{
    char line[1000], file[80], name[80];
    struct report report = { .ours = false };
    unsigned number;
    *findings = (struct findings) { .count = 0 };
    rewind(said);
    while (fgets(line, sizeof line, said)) {
        line[strcspn(line, "\n")] = '\0';
        if (*line && *line != '\t') {
            finish(findings, &report);
            report = begin(line);
            note_skipped(findings, line);
        } else if (sscanf(line, " Kernel: %79s", name) == 1) {
            report.ours = strcmp(name, "reduce") == 0;
        } else if (sscanf(line, " At line %u (column %*u) of %79[^:]", &number, file) == 2) {
            if (number > 0 && (!*report.place || strstr(report.place, "atomics.clh")))
                snprintf(report.place, sizeof report.place, ", line %u of %s", number, file);
        } else { // an instruction, if anything of interest
            report.load |= strstr(line, " = load ") != NULL;
            report.exchange |= strstr(line, "cmpxchg") || strstr(line, "compare_exchange");
        }
    }
    finish(findings, &report);
}

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
    char program[32], variant[64], n[32], group[32], width[32];
    const char *also = one->uninitialized ? "--uninitialized" : "--data-races";
    const char *words[128] = { "oclgrind", "--num-threads", "1", "--data-races", also, program };
    int count = 6;
    snprintf(program, sizeof program, "/proc/%d/exe", (int)getppid());
    snprintf(variant, sizeof variant, "--variant=%s", trial->variant->name);
    snprintf(n, sizeof n, "--n=%" PRIu64, trial->n);
    snprintf(group, sizeof group, "--group=%zu", trial->geometry.group);
    snprintf(width, sizeof width, "--width=%d", trial->geometry.width);
    for (char **given = one->options->words + 1; *given && count < 110; given++)
        words[count++] = *given;
    words[count++] = "--device="; // there is one, Oclgrind's
    words[count++] = variant;
    words[count++] = n;
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
    struct one_case one = { session->options, trial, !trial.operation->has_extreme, NULL };
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
    const int sizes = options->n.count ? options->n.count : 1,
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
    for (int v = 0; session->variants[v]; v++) {
        for (int i = 0; i < sizes * groups * widths; i++) {
            const struct trial trial = { session->variants[v], session->operations[0],
                                         session_geometry(session, i / widths % groups, i % widths),
                                         options->n.value[i / widths / groups] };
            const int status = watch(session, trial);
            if (status == EXIT_SETUP)
                return EXIT_SETUP;
            wrong += status == EXIT_WRONG;
            ran += status != EXIT_UNSUPPORTED;
        }
    }
    return wrong ? EXIT_WRONG : ran ? 0 : EXIT_UNSUPPORTED;
}
