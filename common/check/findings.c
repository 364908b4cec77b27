/* The log is for people: thousands of reports of one kind and place.
 *
 *   Read-write data race at local memory address 0x1000     at the left margin a report begins
 *           Kernel: reduce                                  whose it is: the rest makes the data
 *             %0 = load i32, …                              what an access does
 *           At line 19 (column 5) of tree.cl:               where: rather not in atomics.clh
 */
#include "findings.h"

#include <stdbool.h>
#include <string.h>

/* One report, as far as it is read. */
struct report {
    char kind[100], place[120];
    bool ours, load, exchange; // of a kernel named reduce; a plain load, a compare-exchange in it
};

/* The same place and, up to the first number, the same words? "Only 40 out of 64 work-items" is
 * said for each group. */
static bool same(const char *a, const char *b)
{
    const char *a_place = strstr(a, ", line "), *b_place = strstr(b, ", line ");
    return strncmp(a, b, strcspn(a, "0123456789")) == 0 &&
           strcmp(a_place ? a_place : "", b_place ? b_place : "") == 0;
}

static void finish(struct findings *findings, const struct report *report)
{
    const bool guess = strncmp(report->kind, "Read-write", 10) == 0 && report->exchange;
    char text[FINDING_LENGTH];
    int i = 0;
    if (!report->ours || (guess && report->load))
        return;
    snprintf(text, sizeof text, "%s%s", report->kind, report->place);
    while (i < findings->count && !same(findings->text[i], text))
        i++;
    if (i == FINDINGS)
        return;
    if (i == findings->count)
        strcpy(findings->text[findings->count++], text);
    findings->times[i]++;
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
    static const char fatal[] = "OCLGRIND FATAL ERROR", none[] = "not under Oclgrind";
    if (strncmp(line, none, strlen(none)) == 0)
        snprintf(findings->skipped, sizeof findings->skipped, "%.200s", line);
    else if (strcmp(findings->skipped, fatal) == 0) // the reason stands in the line below
        snprintf(findings->skipped, sizeof findings->skipped, "%s, which gives up: %.150s", none,
                 line);
    else if (!*findings->skipped && strncmp(line, fatal, strlen(fatal)) == 0)
        strcpy(findings->skipped, fatal);
}

void findings_read(FILE *said, struct findings *findings)
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
