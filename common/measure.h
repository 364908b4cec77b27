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
struct limits {
    struct device *device;
    size_t items, group_size;  // of the kernel that reads; it may get a few more work-items
    size_t places;             // for their results, in sink
    uint64_t bytes_past_end;   // that they may read in the guard, to fill a vector of 64 bytes
    uint64_t evict_bytes;      // written between repetitions; 0: the cache stays warm
    cl_mem evict_buffer, sink; // what is written then; the results of reads
};

/* To make the cache cold, as many bytes are written as --evict says; otherwise as the last-level
 * cache has, but at least 64 MiB on a GPU and at most 512 MiB; none with --warm. */
struct limits open_limits(struct device *device, const struct options *options);
void close_limits(struct limits *limits);

/* The time of a read of `bytes` of the elements, from a cold cache, as fast as the device can: the
 * kernel's time by the device's clock. Where that clock cannot be right it is the wall time on a
 * CPU, and NAN on a GPU. */
double time_read(const struct limits *limits, cl_mem elements, uint64_t bytes);

/* Makes the cache cold. */
void evict_cache(const struct limits *limits);

/* Keeps a GPU's profiled queue busy until the host has enqueued the next launches: a GPU that has
 * to wake up for each launch takes microseconds longer by its own clock. */
void hold_queue(const struct limits *limits);

/* Does that read reach all elements? (Some runtimes end long loops early, without an error.) */
bool read_is_complete(const struct limits *limits, cl_mem elements, uint64_t bytes);

/* The wall time of an empty launch and of reading one value back, from a cold cache. */
double time_empty_launch(const struct limits *limits);

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
    uint64_t bytes; // of the elements
    size_t repetitions;
    struct statistics kernel, span, wall;
    double read, empty; // medians: the read limit, an empty launch
    bool read_is_complete;
    double gbps;             // bytes / median wall time
    double limit_gbps;       // bytes / read
    double percent_of_limit; // 100 read / median wall time: launches and the way to the host count
    double floor_seconds;    // read + empty: the least that one read of all bytes costs
    any_value result;
    enum rating rating;

    // of a reduction by several processes; 0: by one without MPI
    int ranks, devices;           // all processes, and the devices that they use
    struct statistics collective; // the time of combining the values of all processes
};

enum { SAMPLES_MAX = 4096 };

struct samples { // one reading of each clock per repetition
    double kernel[SAMPLES_MAX], span[SAMPLES_MAX], wall[SAMPLES_MAX], read[SAMPLES_MAX],
        empty[SAMPLES_MAX];
};

/* Sorts the samples, and computes everything that a row says about them. row->bytes is known. */
void summarise_row(struct row *row, struct samples *samples, size_t count, bool is_cold);

/* False: the result is wrong, and there is no row. */
bool measure(struct reduction *reduction, const struct limits *limits,
             const struct options *options, struct row *row);
