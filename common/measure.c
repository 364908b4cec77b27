#include "measure.h"

#include "verify.h"
#include <math.h>
#include <stdlib.h>

/* ---- what a reduction is measured against. A limit from a data sheet would say nothing about this
 * machine at this minute, so the limit is a read of the same bytes, measured beside the reduction.
 */
enum { READ_GROUP_CPU = 1, READ_GROUPS_CPU = 4 };    // one long contiguous block for each group
enum { READ_GROUP_GPU = 1024, READ_GROUPS_GPU = 2 }; // groups for each compute unit

/* Work-items of the read. */
static size_t read_items(const struct device *device)
{
    return device->compute_units * (device->is_gpu ? (size_t)READ_GROUP_GPU * READ_GROUPS_GPU
                                                   : (size_t)READ_GROUP_CPU * READ_GROUPS_CPU);
}

struct limits open_limits(const struct device *device, const struct options *options)
{
    const uint64_t gpu_least = 64 << 20, most = 512 << 20;
    struct limits limits = { .device = device };
    uint64_t bytes = last_level_cache(device);
    if (device->is_gpu && bytes < gpu_least)
        bytes = gpu_least;
    bytes = bytes < most ? bytes : most;
    if (options->warm || options->evict.count)
        bytes = options->evict.value[0];
    limits.evict_bytes = bytes / 16 * 16;
    limits.evict_buffer = create_buffer(device, bytes + 16, "--evict"); // it may not be empty
    limits.sink = create_buffer(device, read_items(device) * sizeof(cl_uint), "the read limit");
    return limits;
}

void close_limits(struct limits *limits)
{
    CL(clReleaseMemObject(limits->evict_buffer));
    CL(clReleaseMemObject(limits->sink));
}

static void evict_cache(const struct limits *limits)
{
    const cl_ulong count = limits->evict_bytes / 16;
    if (count == 0)
        return;
    const struct kernel *kernel =
        get_kernel(limits->device, "limit.cl", "evict", "", BUILD_FAILURE_ENDS);
    set_argument(kernel, 0, sizeof limits->evict_buffer, &limits->evict_buffer);
    set_argument(kernel, 1, sizeof count, &count);
    launch_kernel(limits->device->queue, kernel, count, 64, NULL);
    CL(clFinish(limits->device->queue));
}

/* Keeps a GPU's profiled queue busy until the host has enqueued the next launches: a GPU that has
 * to wake up for each launch takes microseconds longer by its own clock. */
static void hold_queue(const struct limits *limits)
{
    const struct device *device = limits->device;
    const cl_uint iterations = 20000;
    if (device->profiled_queue == device->queue || device->is_simulated)
        return; // wall times are taken on this queue, or the device has no time of its own
    const struct kernel *kernel = get_kernel(device, "limit.cl", "hold", "", BUILD_FAILURE_ENDS);
    set_argument(kernel, 0, sizeof limits->sink, &limits->sink);
    set_argument(kernel, 1, sizeof iterations, &iterations);
    launch_kernel(device->profiled_queue, kernel, 1, 1, NULL);
}

double time_read(const struct limits *limits, cl_mem elements, uint64_t bytes)
{
    const struct device *device = limits->device;
    const struct kernel *kernel =
        get_kernel(device, "limit.cl", device->is_gpu ? "read_lanes" : "read_blocks", "",
                   BUILD_FAILURE_ENDS);
    // Vectors of 16 bytes on a GPU, else of 64; the guard has room for the rest of the last one.
    const cl_ulong count = ceil_div(bytes, 64) * (device->is_gpu ? 4 : 1);
    cl_event event;

    evict_cache(limits);
    hold_queue(limits);
    const double start = now();
    set_argument(kernel, 0, sizeof elements, &elements);
    set_argument(kernel, 1, sizeof count, &count);
    set_argument(kernel, 2, sizeof limits->sink, &limits->sink);
    launch_kernel(device->profiled_queue, kernel, read_items(device),
                  device->is_gpu ? READ_GROUP_GPU : READ_GROUP_CPU, &event);
    CL(clFinish(device->profiled_queue));
    const double wall = now() - start;

    const struct interval interval = read_event(event);
    CL(clReleaseEvent(event));
    const double seconds = interval.end - interval.start;
    if (seconds <= wall)
        return seconds;
    return device->is_gpu ? NAN : wall;
}

bool read_is_complete(const struct limits *limits, cl_mem elements, uint64_t bytes)
{
    const struct device *device = limits->device;
    const size_t items = read_items(device);
    const cl_ulong count = ceil_div(bytes, 64) * 4, short_loop = 64;
    const cl_uint zero = 0;
    cl_uint *found = allocate(items * sizeof *found), expected, all = 0;

    time_read(limits, elements, bytes);
    read_buffer(device, limits->sink, 0, items * sizeof *found, found);
    for (size_t i = 0; i < items; i++) // each work-item of the read wrote the xor of its words
        all ^= found[i];
    free(found);

    // The same by so many work-items that no loop is long.
    const struct kernel *kernel = get_kernel(device, "limit.cl", "xor_all", "", BUILD_FAILURE_ENDS);
    write_buffer(device, limits->sink, 0, sizeof zero, &zero);
    set_argument(kernel, 0, sizeof elements, &elements);
    set_argument(kernel, 1, sizeof count, &count);
    set_argument(kernel, 2, sizeof limits->sink, &limits->sink);
    launch_kernel(device->queue, kernel, ceil_div(count, short_loop), device->is_gpu ? 64 : 1,
                  NULL);
    read_buffer(device, limits->sink, 0, sizeof expected, &expected);
    return all == expected;
}

double time_empty_launch(const struct limits *limits)
{
    const struct device *device = limits->device;
    const struct kernel *kernel = get_kernel(device, "limit.cl", "nothing", "", BUILD_FAILURE_ENDS);
    any_value value;
    double arrived;

    evict_cache(limits);
    const double start = now();
    set_argument(kernel, 0, sizeof limits->sink, &limits->sink);
    launch_kernel(device->queue, kernel, 1, 1, NULL);
    fetch_value(device, device->queue, limits->sink, sizeof(cl_uint), &value, &arrived);
    return arrived - start;
}

/* ---- repetitions */
enum { SAMPLES_MAX = 4096 };

struct samples { // one reading of each clock per repetition
    double kernel[SAMPLES_MAX], span[SAMPLES_MAX], wall[SAMPLES_MAX], read[SAMPLES_MAX],
        empty[SAMPLES_MAX];
};

/* Reduces once, with nothing useful in memory and a cold cache. */
static struct times run_cold(struct reduction *reduction, const struct limits *limits,
                             cl_command_queue queue, struct row *row)
{
    const any_value *poison = reduction->problem.operation->poison;
    fill_memory(reduction, poison, poison);
    evict_cache(limits);
    if (queue == reduction->device->profiled_queue)
        hold_queue(limits);
    return run_once(reduction, queue, &row->result);
}

/* One repetition. False: the result is wrong. */
static bool repeat(struct reduction *reduction, const struct limits *limits,
                   struct samples *samples, size_t at, struct row *row)
{
    const struct device *device = reduction->device;
    struct times times = run_cold(reduction, limits, device->profiled_queue, row);
    if (!value_is_right(reduction, &row->result))
        return false;
    if (device->queue != device->profiled_queue) { // the wall time without the cost of profiling
        times.wall = run_cold(reduction, limits, device->queue, row).wall;
        if (!value_is_right(reduction, &row->result))
            return false;
    }
    samples->kernel[at] = times.kernel;
    samples->span[at] = times.span;
    samples->wall[at] = times.wall;
    samples->read[at] =
        row->read_is_complete ? time_read(limits, reduction->elements.buffer, row->bytes) : NAN;
    samples->empty[at] = time_empty_launch(limits);
    return true;
}

/* As many repetitions as --reps, and as long as --seconds; but three are enough for a very slow
 * kernel. */
static bool is_enough(const struct options *options, size_t count, double spent)
{
    const bool is_slow = !options->repetitions.count && options->seconds > 0 &&
                         spent >= 4 * options->seconds;
    return (count >= options->repetitions.value[0] && spent >= options->seconds) ||
           (count >= 3 && is_slow);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct statistics compute_statistics(double *samples, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += samples[i];
    if (count == 0 || isnan(sum)) // one reading that cannot be trusted makes all of them doubtful
        return (struct statistics) { NAN, NAN, NAN };
    qsort(samples, count, sizeof *samples, compare_doubles);
    return (struct statistics) { .min = samples[0],
                                 .median = (samples[(count - 1) / 2] + samples[count / 2]) / 2,
                                 .p90 = samples[(count * 9 + 9) / 10 - 1] };
}

static void summarise(struct row *row, struct samples *samples, size_t count, bool is_cold)
{
    const double noisy = 2, doubtful = 150; // p90 / min; percent of the limit
    row->repetitions = count;
    count = count < SAMPLES_MAX ? count : SAMPLES_MAX;
    row->kernel = compute_statistics(samples->kernel, count);
    row->span = compute_statistics(samples->span, count);
    row->wall = compute_statistics(samples->wall, count);
    row->read = compute_statistics(samples->read, count).median;
    row->empty = compute_statistics(samples->empty, count).median;
    row->gbps = 1e-9 * row->bytes / row->wall.median;
    row->limit_gbps = 1e-9 * row->bytes / row->read;
    row->percent_of_limit = 100 * row->read / row->wall.median;
    row->floor = row->empty + row->read;
    row->rating = is_cold && row->percent_of_limit > doubtful ? RATING_DOUBTFUL
                  : row->wall.p90 > noisy * row->wall.min     ? RATING_NOISY
                                                              : RATING_NORMAL;
}

bool measure(struct reduction *reduction, const struct limits *limits,
             const struct options *options, struct row *row)
{
    static struct samples samples; // too large for the stack
    const cl_mem elements = reduction->elements.buffer;
    size_t count = 0;

    *row = (struct row) { .bytes = reduction->elements.count *
                                   reduction->problem.operation->element_bytes };
    if (!verify_once(reduction))
        return false;
    run_once(reduction, reduction->device->queue, &row->result); // a warm-up
    row->read_is_complete = read_is_complete(limits, elements, row->bytes);
    time_empty_launch(limits);
    // In turn, so that a machine that slows down slows all of them down. The last ones are kept.
    for (double start = now(); !is_enough(options, count, now() - start); count++)
        if (!repeat(reduction, limits, &samples, count % SAMPLES_MAX, row))
            return false;
    summarise(row, &samples, count, limits->evict_bytes > 0);
    // Again, on other data: each repetition may have used what an earlier one left in memory.
    return verify_again(reduction);
}
