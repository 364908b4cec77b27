/* Timing: versions in turn, and between them the fastest read, and the fastest read and write, of
 * the same bytes. */
#pragma once

#include "solver.h"
#include "timing/limit.h"
#include "truth.h"

struct measured { // of one version; medians over the turns, in seconds; NAN: missing
    struct solver solver;
    double part[KINDS], percent[KINDS], wall, floor, percent_of_floor, read, read_write;
    struct truth truth;
    bool right;
    char why[300];
};

extern const char *const kind_names[KINDS];
double part_bytes(const struct measured *version, enum kind kind); // that it reads and writes

/* Solvers are open. Solves with each, again and again. */
void measure_versions(struct measured *versions, int count);
