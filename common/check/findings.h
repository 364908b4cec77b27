/* What Oclgrind has seen, out of its log. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdio.h>

enum { FINDINGS = 64, FINDING_LENGTH = 240 };

/* Each kind and place once, with how often. */
struct findings {
    char text[FINDINGS][FINDING_LENGTH];
    unsigned times[FINDINGS];
    int count;
};

/* Only what is said of kernels named reduce, and nothing of the first read of a compare-exchange
 * loop. */
void findings_read(FILE *log, struct findings *findings);

#endif
