/* Measures all versions in turn. Between their launches it measures the limits: the fastest read of
 * the same bytes, and the fastest read and write. */
#pragma once

#include "enclosure.h"
#include "measure.h"
#include "solver.h"

struct measured_version { // one version; medians over all turns, in seconds, or NAN
    struct solver solver;
    double part[PART_KINDS], percent_of_limit[PART_KINDS]; // of one launch
    double wall;                                           // of a whole solution
    double read, read_write;                               // the limits, for the whole matrix
    double floor, percent_of_floor; // the time that the limits allow for a whole solution
    struct enclosure enclosure;
    bool is_right;
    char why[300]; // the reason, if it is not right
};

extern const char *const part_kind_names[PART_KINDS];

/* Returns the bytes that a part reads and writes. */
double count_bytes(const struct measured_version *version, enum part_kind kind);

/* Solves with each version several times. Their solvers must be open. */
void measure_versions(struct measured_version *versions, int count);
