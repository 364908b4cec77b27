/* One row of the table: verify, time in turn with a program that only reads, verify again.
 *
 *   verify | warm-up | reduce, read | reduce, read | … | verify
 *
 * The program that only reads is the yardstick: it is launched, its result is fetched, and it is
 * timed as the reduction is, by the same calls. Each run begins with a cold cache; the reduction
 * also begins with memory full of poison. A GPU runs both twice: for the times by its own clock,
 * and for the wall time. The last verification runs with everything in memory that the repetitions
 * left.
 *
 * Nothing is timed before it was right, and no time is kept unless the result is still right
 * afterwards. All times are in seconds; a missing time is NAN. */
#pragma once

#include "options.h"
#include "run.h"

/* ---- what a reduction is measured against */

/* Plans the fastest known program that only reads `bytes` of the elements: one launch, and one word
 * for the host. run_once() carries it out. It has no arrays of its own, so nothing is released. */
void plan_read(struct reduction *read, struct device *device, cl_mem elements, uint64_t bytes);

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
    double read_wall, read_kernel; // medians: of the program that only reads
    bool read_is_complete;
    double gbps;             // bytes / median wall time
    double limit_gbps;       // bytes / read_wall
    double percent_of_limit; // 100 read_wall / median wall time
    any_value result;
    enum rating rating;

    // of a reduction by several processes
    int ranks, devices; // all processes, and the devices that they use; the caller of measure()
                        // sets both; 0: there is one process
    struct statistics collective; // the time of combining the values of all processes
};

/* ---- measuring one */
enum { SAMPLES_MAX = 4096 };

enum reading { // of one repetition, in seconds
    READING_KERNEL,
    READING_SPAN,
    READING_WALL,
    READING_READ_WALL, // of the program that only reads
    READING_READ_KERNEL,
    READING_COLLECTIVE, // of several processes: the time of combining their values
    READING_SPENT,      // since the first repetition began
    READINGS
};

/* What measure() calls if several processes reduce one array together. Each of them measures its
 * own share at the same time. */
struct hooks {
    /* Before a run: returns when all processes have called it. */
    void (*wait_for_all)(void);
    /* After a run, which this process found right or wrong: was it right for all of them? */
    bool (*agree)(struct reduction *reduction, bool is_right);
    /* After a repetition: sets the time of the collective, and replaces each reading by that of
     * the slowest process. */
    void (*take_slowest)(double readings[READINGS]);
};

/* False: the result is wrong, and there is no row. `hooks` is NULL if one process reduces the whole
 * array. With hooks, the caller has to verify again afterwards, because all processes together make
 * other data. */
bool measure(struct reduction *reduction, const struct hooks *hooks, const struct options *options,
             struct row *row);
