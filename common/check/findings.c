/* Oclgrind's log is for people: a report for each work-item that does something wrong, thousands of
 * one kind and place.
 *
 *   Read-write data race at local memory address 0x1000         at the left margin: a report begins
 *           Kernel: reduce                                      indented: whose it is, each access
 *           At line 19 (column 5) of tree.cl:                   and its place
 */
#include "findings.h"

#include <stdbool.h>
#include <string.h>

static const char *place_of(const char *text)
{
    const char *place = strstr(text, ", line ");
    return place ? place : "";
}

/* The same place and, up to the first number, the same words? "Only 40 out of 64 work-items" is
 * said for each group. */
static bool same(const char *a, const char *b)
{
    return strncmp(a, b, strcspn(a, "0123456789")) == 0 && strcmp(place_of(a), place_of(b)) == 0;
}

static void add(struct findings *findings, const char text[FINDING_LENGTH])
{
    int i = 0;
    while (i < findings->count && !same(findings->text[i], text))
        i++;
    if (i == FINDINGS)
        return;
    if (i == findings->count)
        strcpy(findings->text[findings->count++], text);
    findings->times[i]++;
}

/* One report of the log, as far as it is read. */
struct report {
    char kind[100], place[120];
    bool ours, only_atomics; // of a kernel named reduce; all its places are in atomics.clh
    bool load, exchange;     // one access is a plain load, one a compare-exchange
};

/* What a compare-exchange loop reads before may be overtaken: it is a guess, and the exchange finds
 * out. (A read that is no such guess is not told from one.) */
static bool is_guess(const struct report *report)
{
    return strncmp(report->kind, "Read-write", 10) == 0 && report->load && report->exchange;
}

static void finish_report(struct findings *findings, const struct report *report)
{
    char text[FINDING_LENGTH];
    if (!*report->kind || !report->ours || is_guess(report))
        return;
    snprintf(text, sizeof text, "%s%s", report->kind, report->place);
    add(findings, text);
}

/* A report begins at the left margin and goes on indented: which kernel, then each access, its
 * instruction, and the place, "At line 19 (column 5) of file". The line of source below such a
 * place is of the wrong text, as a program is made of several. */
void findings_read(FILE *log, struct findings *findings)
{
    char line[1000], file[80], name[80];
    struct report report = { .ours = false };
    unsigned number;

    *findings = (struct findings) { .count = 0 };
    rewind(log);
    while (fgets(line, sizeof line, log)) {
        if (*line != '\t' && *line != '\n') {
            finish_report(findings, &report);
            report = (struct report) { .only_atomics = true };
            snprintf(report.kind, sizeof report.kind, "%.*s", (int)strcspn(line, "\n"), line);
            char *address = strstr(report.kind, " address 0x"), *at = strstr(report.kind, " at ");
            if (at &&
                address) // "... race at local memory address 0x1000" -> "... race in local memory"
                memcpy(at, " in ", 4);
            if (address)
                *address = '\0';
        } else if (sscanf(line, " Kernel: %79s", name) == 1) {
            report.ours =
                strcmp(name, "reduce") == 0; // not those that make the data and look after it
        } else if (sscanf(line, " At line %u (column %*u) of %79[^:]", &number, file) == 2) {
            bool atomics = strcmp(file, "atomics.clh") == 0;
            if (number > 0 && (!*report.place ||
                               (report.only_atomics && !atomics))) // rather the kernel's own line
                snprintf(report.place, sizeof report.place, ", line %u of %s", number, file);
            report.only_atomics = report.only_atomics && atomics;
        } else { // an instruction, if anything of interest
            report.load |= strstr(line, " = load ") != NULL;
            report.exchange |= strstr(line, "cmpxchg") || strstr(line, "compare_exchange");
        }
    }
    finish_report(findings, &report);
}
