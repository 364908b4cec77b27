/* What Oclgrind has seen. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { FINDINGS = 64, LENGTH = 240 };

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

/* Reads all that was said, from its beginning. */
void read_findings(FILE *said, struct findings *findings);
