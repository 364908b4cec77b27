/* One row of data: verify, time in turn with the read limit, verify again. */
#pragma once

#include "limit.h"
#include "options.h"
#include "verify.h"

struct statistics { // of many readings of one clock
    double min, median, p90;
};

struct row {        // times in seconds
    uint64_t bytes; // of the elements
    size_t repetitions;
    struct statistics kernel, span, wall;
    double limit, empty; // medians
    bool misread;        // why there is no limit: the kernels that measure it miss elements
    double gbps, percent_of_limit, limit_gbps, floor;
    struct accuracy accuracy; // of uniform data
    any_value result;
    // "right"; and the times are scattered: "noisy"; far above the limit: "doubted"; without a
    // bound on the error: "no-bound"
    const char *verdict;
};

/* False: a wrong result, no row, and run->reason says what is wrong. */
bool measure(struct run *run, struct limit *limit, const struct options *options, struct row *row);

struct statistics statistics(double *samples, size_t count); // sorts them; none, or a NAN: NAN
