/* Measures all versions in turn. Between their launches it measures the limits: the fastest read of
 * the same bytes, and the fastest read and write. */
#pragma once

#include "enclosure.h"
#include "measure.h"
#include "solver.h"

struct measured_version { // one version; medians over all turns, in seconds, or NAN
    struct solver solver;
    // of one launch, by the device's clock: its time, that of its limit, and limit / part
    double part[PART_KINDS], limit[PART_KINDS], kernel_percent[PART_KINDS];
    // of a whole solution, by wall time: its time, that of a program that only moves the matrix as
    // often, and limit_wall / wall
    double wall, limit_wall, percent_of_limit;
    struct enclosure enclosure;
    bool is_right;
    char why[300]; // the reason, if it is not right
};

extern const char *const part_kind_names[PART_KINDS];

/* Returns the bytes that a part reads and writes. */
double count_bytes(const struct measured_version *version, enum part_kind kind);

/* Solves with each version several times. Their solvers must be open. */
void measure_versions(struct measured_version *versions, int count);
