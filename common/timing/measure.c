/* Nothing is timed that has not been right before, and no time is kept unless it is right again
 * after.
 *
 *   verified | warm-up, which read is fastest? | reduce, read limit, empty launch | … | verified
 *                                                ^ in turn, as often as --reps and --seconds say;
 *                                                  with poison and a cold cache before each
 */
#include "measure.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 4096 };              // repetitions
enum { NOISY = 2, DOUBTED = 150 }; // above this p90 / min, or percent of the limit, a row is marked

/* One reading of each clock per repetition. */
static struct samples {
    double kernel[MOST], span[MOST], wall[MOST], read[MOST], empty[MOST];
} samples;

/* Nothing that an earlier repetition has left is of use. */
static void forget(const struct run *run, const struct limit *limit)
{
    fill_memory(run, run->operation->poison, run->operation->poison);
    limit_evict(limit);
}

/* One repetition. False: it came out wrong. */
static bool repeat(struct run *run, const struct limit *limit, size_t at, struct row *row)
{
    const struct device *device = run->device;
    struct device clocked = *device;
    clocked.queue = device->profiled;

    forget(run, limit);
    limit_hold(limit);
    run->device = &clocked;
    struct times times = reduce_once(run, &row->result);
    run->device = device;
    if (!same_value(run, &row->result))
        return false;
    if (device->queue != device->profiled) { // once more, without the clock's share of the wall
        forget(run, limit);
        times.wall = reduce_once(run, &row->result).wall;
        if (!same_value(run, &row->result))
            return false;
    }
    samples.kernel[at] = times.kernel;
    samples.span[at] = times.span;
    samples.wall[at] = times.wall;
    samples.read[at] = limit_read(limit, run->elements.buffer, row->bytes);
    samples.empty[at] = limit_empty_launch(limit);
    return true;
}

/* Often and long enough? A very slow kernel gets three repetitions. */
static bool enough(const struct options *options, size_t count, double spent)
{
    const double seconds = options->seconds;
    const bool too_slow = !options->repetitions.count && seconds > 0 && spent >= 4 * seconds;
    return (count >= options->repetitions.value[0] && spent >= seconds) || (count >= 3 && too_slow);
}

static void summarise(struct row *row, size_t count)
{
    row->repetitions = count;
    count = count < MOST ? count : MOST;
    row->kernel = statistics(samples.kernel, count);
    row->span = statistics(samples.span, count);
    row->wall = statistics(samples.wall, count);
    row->limit = statistics(samples.read, count).median;
    row->empty = statistics(samples.empty, count).median;
    row->gbps = 1e-9 * row->bytes / row->wall.median;
    row->limit_gbps = 1e-9 * row->bytes / row->limit;
    row->percent_of_limit = 100 * row->limit / row->wall.median;
    row->floor = row->empty + row->limit;
}

bool measure(struct run *run, struct limit *limit, const struct options *options, struct row *row)
{
    size_t count = 0;

    *row = (struct row) { .bytes = run->elements.count * run->operation->element_bytes };
    if (!verified(run))
        return false;
    reduce_once(run, &row->result); // warms up what the run before it has compiled and paged in
    limit_choose(limit, run->elements.buffer, row->bytes);
    limit_empty_launch(limit);
    // In turn, so that a machine that slows down slows all of them down.
    for (double start = now(); !enough(options, count, now() - start); count++)
        if (!repeat(run, limit, count % MOST, row)) // the last ones are kept
            return false;
    summarise(row, count);
    row->misread = !limit->shape;
    if (run->data.uniform)
        row->accuracy = accuracy_of(run, &row->result);
    // Once more on other data: the repetitions found the results of those before them.
    if (!verified_anew(run))
        return false;
    row->verdict = isnan(row->accuracy.bound)                              ? "no-bound"
                   : limit->evict_bytes && row->percent_of_limit > DOUBTED ? "doubted"
                   : row->wall.p90 > NOISY * row->wall.min                 ? "noisy"
                                                                           : "right";
    return true;
}

/* For qsort. */
static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct statistics statistics(double *samples, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += samples[i];
    if (count == 0 || isnan(sum)) // one reading that cannot be trusted spoils the whole row
        return (struct statistics) { NAN, NAN, NAN };
    qsort(samples, count, sizeof *samples, ascending);
    return (struct statistics) { .min = samples[0],
                                 .median = (samples[(count - 1) / 2] + samples[count / 2]) / 2,
                                 .p90 = samples[(count * 9 + 9) / 10 - 1] };
}
