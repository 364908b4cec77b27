/* From Oclgrind's log, of thousands of reports, to what it has found, each once:
 *
 *   Read-write data race at local memory address 0x1000     at the left margin a report begins
 *           Kernel: reduce                                  whose it is: the rest makes the data
 *             %0 = load i32, …                              what an access does
 *           At line 19 (column 5) of tree.cl:               where: rather not in atomics.clh
 */
#include "findings.h"

#include <string.h>

/* A race with the first read of a compare-exchange loop is none: if another work-item writes in
 * between, the exchange fails, and the loop tries again. */
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

void read_findings(FILE *said, struct findings *findings)
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
