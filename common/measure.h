/* One row of data: verify, time in turn with the read limit, verify again. */
#pragma once

#include "limit.h"
#include "options.h"
#include "verify.h"

struct statistics { // of many readings of one clock
    double min, median, p90;
};

struct row { // times in seconds
    uint64_t n, bytes, groups;
    size_t group, lanes, launches, repetitions; // groups, group: of the first launch
    int width;
    const char *backend;
    struct statistics kernel, span, wall;
    double limit, empty; // medians
    bool misread;        // why there is no limit: the kernels that measure it miss elements
    double gbps, percent_of_limit, kernel_percent, limit_gbps, floor;
    bool uniform; // the data: then the accuracy tells something
    struct accuracy accuracy;
    any_value result;
    // "right"; and the times are scattered: "noisy"; far above the limit: "doubted"; without a
    // bound on the error: "no-bound"
    const char *verdict;
};

/* False: a wrong result, no row, and `why` says what is wrong. */
bool measure(const struct run *run, struct input *input, struct limit *limit,
             const struct options *options, struct row *row, char why[400]);

struct statistics statistics(double *samples, size_t count); // sorts them; any NAN: all NAN
