/* One row of the table: verify, time in turn with the read limit, verify again.
 *
 *   verify | warm-up | reduce, read limit, empty launch | reduce, read limit, … | verify
 *
 * In a repetition each of the three begins with a cold cache, and the reduction with memory full of
 * poison. A GPU reduces twice: for the times by its own clock, and for the wall time. The last
 * verification runs with everything in memory that the repetitions left.
 *
 * Nothing is timed before it was right, and no time is kept unless the result is still right
 * afterwards. All times are in seconds; a missing time is NAN. */
#pragma once

#include "options.h"
#include "run.h"

/* ---- what a reduction is measured against */

/* The time of a read of `bytes` of the elements, from a cold cache, as fast as the device can: the
 * kernel's time by the device's clock. Where that clock cannot be right it is the wall time on a
 * CPU, and NAN on a GPU. */
double time_read(struct device *device, cl_mem elements, uint64_t bytes);

/* Makes the cache cold: writes device->evict_bytes to other memory. */
void evict_cache(struct device *device);

/* ---- a row */
struct statistics {
    double min, median, p90;
};

/* Sorts the samples. All are NAN if there is no sample, or if one is NAN. */
struct statistics compute_statistics(double *samples, size_t count);

enum rating { // of a row whose result is right
    RATING_NORMAL,
    RATING_NOISY,   // the 90 % quantile of the wall time is above twice its minimum
    RATING_DOUBTFUL // above 150 % of the read limit; a little more than 100 % is possible, because
                    // a reduction may read in a better way than the kernel that measures the limit
};

struct row {
    uint64_t bytes;     // of the elements
    size_t repetitions; // that the statistics are of: the last SAMPLES_MAX, if there were more
    struct statistics kernel, span, wall;
    double read, empty; // medians: the read limit, an empty launch
    bool read_is_complete;
    double gbps;             // bytes / median wall time
    double limit_gbps;       // bytes / read
    double percent_of_limit; // 100 read / median wall time: launches and the way to the host count
    double floor_seconds;    // read + empty: the least that one read of all bytes costs
    any_value result;
    enum rating rating;

    // of a reduction by several processes
    int ranks, devices; // all processes, and the devices that they use; the caller of measure()
                        // sets both; 0: there is one process
    struct statistics collective; // the time of combining the values of all processes
};

/* ---- measuring one */
enum { SAMPLES_MAX = 4096 };

enum duration { // of one repetition, in seconds
    DURATION_KERNEL,
    DURATION_SPAN,
    DURATION_WALL,
    DURATION_READ,       // the read limit
    DURATION_EMPTY,      // an empty launch
    DURATION_COLLECTIVE, // of several processes: the time of combining their values
    DURATION_SPENT,      // since the first repetition began
    DURATIONS
};

/* What measure() calls if several processes reduce one array together. Each of them measures its
 * own share at the same time. */
struct hooks {
    /* Before a run: returns when all processes have called it. */
    void (*wait_for_all)(void);
    /* After a run, which this process found right or wrong: was it right for all of them? */
    bool (*agree)(struct reduction *reduction, bool is_right);
    /* After a repetition: sets the time of the collective, and replaces each duration by that of
     * the slowest process. */
    void (*take_slowest)(double durations[DURATIONS]);
};

/* False: the result is wrong, and there is no row. `hooks` is NULL if one process reduces the whole
 * array. With hooks, the caller has to verify again afterwards, because all processes together make
 * other data. */
bool measure(struct reduction *reduction, const struct hooks *hooks, const struct options *options,
             struct row *row);
