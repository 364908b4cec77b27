/* What Oclgrind has seen, out of all that it and the program have said. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdio.h>

enum { FINDINGS = 64, FINDING_LENGTH = 240 };

struct findings { // each kind and place once, with how often
    char text[FINDINGS][FINDING_LENGTH];
    unsigned times[FINDINGS];
    int count;
    char skipped[FINDING_LENGTH]; // why there is no verdict, or ""
};

/* Only what is said of kernels named reduce, and nothing of the first read of a compare-exchange
 * loop: it may be overtaken, as it is a guess, and the exchange finds out. */
void findings_read(FILE *said, struct findings *findings);

#endif
