#include "measure.h"

#include "verify.h"
#include <math.h>
#include <stdlib.h>

/* ---- what a reduction is measured against. A data sheet does not describe this machine at this
 * minute, so the limit is a read of the same bytes, measured beside the reduction. */
struct limits open_limits(struct device *device, const struct options *options)
{
    const uint64_t gpu_least = 64 << 20, most = 512 << 20;
    const bool gpu = device->is_gpu;
    uint64_t bytes = gpu && device->cache_bytes < gpu_least ? gpu_least : device->cache_bytes;
    bytes = bytes < most ? bytes : most;
    if (options->warm)
        bytes = 0;
    else if (options->evict.count)
        bytes = options->evict.value[0];
    // A CPU's cores want a few long blocks; a GPU wants many lanes with several loads in flight.
    struct limits limits = { device, .group_size = gpu ? 1024 : 1,
                             .items = device->compute_units * (gpu ? 2 * 1024 : 4),
                             .bytes_past_end = device->guard_elements ? 63 : 0,
                             .evict_bytes = bytes / 16 * 16 };
    limits.evict_buffer =
        create_buffer(device, bytes + 16, "the memory that clears the cache (--evict)");
    // launch_kernel() adds work-items if the group size does not divide their number.
    limits.places = limits.items + limits.group_size;
    limits.sink = create_buffer(device, limits.places * sizeof(cl_uint), "the read limit");
    return limits;
}

void close_limits(struct limits *limits)
{
    CL(clReleaseMemObject(limits->evict_buffer));
    CL(clReleaseMemObject(limits->sink));
}

void evict_cache(const struct limits *limits)
{
    const cl_ulong count = limits->evict_bytes / 16;
    if (count == 0)
        return;
    const struct kernel *kernel =
        get_kernel(limits->device, "limit.cl", "evict", "", BUILD_FAILURE_ENDS);
    CL(clSetKernelArg(kernel->kernel, 0, sizeof limits->evict_buffer, &limits->evict_buffer));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof count, &count));
    launch_kernel(limits->device->queue, kernel, count, 64, NULL);
    CL(clFinish(limits->device->queue));
}

void hold_queue(const struct limits *limits)
{
    struct device *device = limits->device;
    const cl_uint iterations = 20000;
    const struct kernel *kernel = get_kernel(device, "limit.cl", "hold", "", BUILD_FAILURE_ENDS);
    CL(clSetKernelArg(kernel->kernel, 0, sizeof limits->sink, &limits->sink));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof iterations, &iterations));
    launch_kernel(device->profiled_queue, kernel, 1, 1, NULL);
}

double time_read(const struct limits *limits, cl_mem elements, uint64_t bytes)
{
    struct device *device = limits->device;
    const struct kernel *kernel = get_kernel(
        device, "limit.cl", device->is_gpu ? "read_lanes" : "read_blocks", "", BUILD_FAILURE_ENDS);
    // Vectors of 16 bytes on a GPU, else of 64.
    const cl_ulong count = (bytes + limits->bytes_past_end) / 64 * (device->is_gpu ? 4 : 1);
    cl_event event;

    evict_cache(limits);
    if (device->is_gpu)
        hold_queue(limits);
    const double start = now();
    CL(clSetKernelArg(kernel->kernel, 0, sizeof elements, &elements));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof count, &count));
    CL(clSetKernelArg(kernel->kernel, 2, sizeof limits->sink, &limits->sink));
    launch_kernel(device->profiled_queue, kernel, limits->items, limits->group_size, &event);
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
    struct device *device = limits->device;
    const cl_ulong count = (bytes + limits->bytes_past_end) / 64 * 4;
    const cl_uint zero = 0;
    cl_uint all = 0, expected;
    cl_int status;

    // Each work-item of the read writes the xor of its words, and leaves all other places at 0.
    CL(clEnqueueFillBuffer(device->queue, limits->sink, &zero, sizeof zero, 0,
                           limits->places * sizeof zero, 0, NULL, NULL));
    CL(clFinish(device->queue)); // the read uses another queue
    time_read(limits, elements, bytes);
    cl_uint *found = clEnqueueMapBuffer(device->queue, limits->sink, CL_TRUE, CL_MAP_READ, 0,
                                        limits->places * sizeof *found, 0, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clEnqueueMapBuffer");
    for (size_t i = 0; i < limits->places; i++)
        all ^= found[i];
    CL(clEnqueueUnmapMemObject(device->queue, limits->sink, found, 0, NULL, NULL));

    // The same, launched with enough work-items to keep each loop short.
    const struct kernel *kernel = get_kernel(device, "limit.cl", "xor_all", "", BUILD_FAILURE_ENDS);
    CL(clEnqueueWriteBuffer(device->queue, limits->sink, CL_TRUE, 0, sizeof zero, &zero, 0, NULL,
                            NULL));
    CL(clSetKernelArg(kernel->kernel, 0, sizeof elements, &elements));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof count, &count));
    CL(clSetKernelArg(kernel->kernel, 2, sizeof limits->sink, &limits->sink));
    launch_kernel(device->queue, kernel, (count + 63) / 64, device->is_gpu ? 64 : 1, NULL);
    CL(clEnqueueReadBuffer(device->queue, limits->sink, CL_TRUE, 0, sizeof expected, &expected, 0,
                           NULL, NULL));
    return all == expected;
}

double time_empty_launch(const struct limits *limits)
{
    struct device *device = limits->device;
    const struct kernel *kernel = get_kernel(device, "limit.cl", "nothing", "", BUILD_FAILURE_ENDS);
    any_value value;

    evict_cache(limits);
    const double start = now();
    CL(clSetKernelArg(kernel->kernel, 0, sizeof limits->sink, &limits->sink));
    launch_kernel(device->queue, kernel, 1, 1, NULL);
    return fetch_value(device, device->queue, limits->sink, sizeof(cl_uint), &value) - start;
}

/* ---- repetitions */
/* One repetition, with nothing useful in memory and a cold cache. False: the result is wrong. */
static bool repeat(struct reduction *reduction, const struct limits *limits,
                   struct samples *samples, size_t at, struct row *row)
{
    const struct device *device = reduction->device;
    // On a GPU twice: for the device's clock, and for the wall time without the cost of profiling.
    const cl_command_queue queues[2] = { device->profiled_queue, device->queue };
    for (int i = 0; i < (device->is_gpu ? 2 : 1); i++) {
        fill_memory(reduction, NULL, NULL);
        evict_cache(limits);
        if (device->is_gpu && i == 0)
            hold_queue(limits);
        const struct times times = run_once(reduction, queues[i], &row->result);
        if (!value_is_right(reduction, &row->result))
            return false;
        samples->wall[at] = times.wall; // of the last queue
        if (i == 0) {
            samples->kernel[at] = times.kernel;
            samples->span[at] = times.span;
        }
    }
    samples->read[at] =
        row->read_is_complete ? time_read(limits, reduction->elements.buffer, row->bytes) : NAN;
    samples->empty[at] = time_empty_launch(limits);
    return true;
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

void summarise_row(struct row *row, struct samples *samples, size_t count, bool is_cold)
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
    row->floor_seconds = row->empty + row->read;
    row->rating = is_cold && row->percent_of_limit > doubtful ? RATING_DOUBTFUL
                  : row->wall.p90 > noisy * row->wall.min     ? RATING_NOISY
                                                              : RATING_NORMAL;
}

bool measure(struct reduction *reduction, const struct limits *limits,
             const struct options *options, struct row *row)
{
    static struct samples samples; // 160 KB
    const cl_mem elements = reduction->elements.buffer;
    size_t count = 0;

    *row = (struct row) { .bytes = reduction->elements.count *
                                   reduction->problem.operation->element_bytes };
    if (!verify_run(reduction, true))
        return false;
    run_once(reduction, reduction->device->queue, &row->result); // a warm-up
    row->read_is_complete = read_is_complete(limits, elements, row->bytes);
    time_empty_launch(limits);
    // In turn, so that a machine that slows down slows all of them down. Only the last SAMPLES_MAX
    // readings are kept.
    const double start = now(), seconds = options->seconds;
    bool is_enough = false;
    while (!is_enough) {
        if (!repeat(reduction, limits, &samples, count++ % SAMPLES_MAX, row))
            return false;
        // At least --reps and --seconds; but three repetitions are enough for a very slow kernel.
        const double spent = now() - start;
        const bool is_slow = !options->repetitions.count && seconds > 0 && spent >= 4 * seconds;
        is_enough =
            (count >= options->repetitions.value[0] && spent >= seconds) || (count >= 3 && is_slow);
    }
    summarise_row(row, &samples, count, limits->evict_bytes > 0);
    // Again, on other data: each repetition may have used what an earlier one left in memory.
    return verify_again(reduction);
}
