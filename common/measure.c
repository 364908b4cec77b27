#include "measure.h"

#include "verify.h"
#include <math.h>
#include <stdlib.h>

/* ---- what a reduction is measured against. A data sheet does not describe this machine at this
 * minute, so the limit is a read of the same bytes, measured beside the reduction. */
void evict_cache(struct device *device)
{
    const cl_ulong count = device->evict_bytes / 16; // vectors
    if (count == 0)
        return;
    if (!device->evict_buffer)
        device->evict_buffer = create_buffer(device, device->evict_bytes,
                                             "the memory that clears the cache (--evict)");
    const struct kernel *kernel = get_kernel(device, "limit.cl", "evict", "");
    CL(clSetKernelArg(kernel->kernel, 0, sizeof device->evict_buffer, &device->evict_buffer));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof count, &count));
    launch_kernel(device->queue, kernel, count, 64, NULL);
    CL(clFinish(device->queue));
}

/* Keeps a GPU's profiled queue busy until the host has enqueued the next launches: a GPU that has
 * to wake up for each launch takes microseconds longer by its own clock. */
static void hold_queue(struct device *device)
{
    const cl_uint iterations = 20000;
    const struct kernel *kernel = get_kernel(device, "limit.cl", "hold", "");
    CL(clSetKernelArg(kernel->kernel, 0, sizeof device->sink, &device->sink));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof iterations, &iterations));
    launch_kernel(device->profiled_queue, kernel, 1, 1, NULL);
}

double time_read(struct device *device, cl_mem elements, uint64_t bytes)
{
    const struct kernel *kernel =
        get_kernel(device, "limit.cl", device->is_gpu ? "read_lanes" : "read_blocks", "");
    // Vectors of 16 bytes on a GPU, else of 64. The last one may end in the guard.
    const uint64_t past_end = device->guard_elements ? 63 : 0;
    const cl_ulong count = (bytes + past_end) / 64 * (device->is_gpu ? 4 : 1);
    cl_event event;

    evict_cache(device);
    if (device->is_gpu)
        hold_queue(device);
    const double start = now();
    CL(clSetKernelArg(kernel->kernel, 0, sizeof elements, &elements));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof count, &count));
    CL(clSetKernelArg(kernel->kernel, 2, sizeof device->sink, &device->sink));
    launch_kernel(device->profiled_queue, kernel, device->read_items, device->read_group_size,
                  &event);
    CL(clFinish(device->profiled_queue));
    const double wall = now() - start;

    const struct interval interval = read_event(event);
    CL(clReleaseEvent(event));
    const double seconds = interval.end - interval.start;
    if (seconds <= wall)
        return seconds;
    return device->is_gpu ? NAN : wall;
}

/* Does that read reach all elements? (Some runtimes end long loops early, without an error.) */
static bool read_is_complete(struct device *device, cl_mem elements, uint64_t bytes)
{
    const uint64_t past_end = device->guard_elements ? 63 : 0;
    const cl_ulong count = (bytes + past_end) / 64 * 4;
    const cl_uint zero = 0;
    cl_uint all = 0, expected;
    cl_int status;

    // Each work-item of the read writes the xor of its words, and leaves all other places at 0.
    CL(clEnqueueFillBuffer(device->queue, device->sink, &zero, sizeof zero, 0,
                           device->sink_words * sizeof zero, 0, NULL, NULL));
    CL(clFinish(device->queue)); // the read uses another queue
    time_read(device, elements, bytes);
    cl_uint *found = clEnqueueMapBuffer(device->queue, device->sink, CL_TRUE, CL_MAP_READ, 0,
                                        device->sink_words * sizeof *found, 0, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clEnqueueMapBuffer");
    for (size_t i = 0; i < device->sink_words; i++)
        all ^= found[i];
    CL(clEnqueueUnmapMemObject(device->queue, device->sink, found, 0, NULL, NULL));

    // The same, launched with enough work-items to keep each loop short.
    const struct kernel *kernel = get_kernel(device, "limit.cl", "xor_all", "");
    CL(clEnqueueWriteBuffer(device->queue, device->sink, CL_TRUE, 0, sizeof zero, &zero, 0, NULL,
                            NULL));
    CL(clSetKernelArg(kernel->kernel, 0, sizeof elements, &elements));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof count, &count));
    CL(clSetKernelArg(kernel->kernel, 2, sizeof device->sink, &device->sink));
    launch_kernel(device->queue, kernel, (count + 63) / 64, device->is_gpu ? 64 : 1, NULL);
    CL(clEnqueueReadBuffer(device->queue, device->sink, CL_TRUE, 0, sizeof expected, &expected, 0,
                           NULL, NULL));
    return all == expected;
}

/* The wall time of an empty launch and of reading one value back, from a cold cache. */
static double time_empty_launch(struct device *device)
{
    const struct kernel *kernel = get_kernel(device, "limit.cl", "nothing", "");
    any_value value;

    evict_cache(device);
    const double start = now();
    CL(clSetKernelArg(kernel->kernel, 0, sizeof device->sink, &device->sink));
    launch_kernel(device->queue, kernel, 1, 1, NULL);
    return fetch_value(device, device->queue, device->sink, sizeof(cl_uint), &value) - start;
}

/* ---- repetitions */
/* One repetition, with nothing useful in memory and a cold cache. False: the result is wrong. */
static bool repeat(struct reduction *reduction, const struct hooks *hooks, struct row *row,
                   double durations[DURATIONS])
{
    struct device *device = reduction->device;
    // On a GPU twice: for the device's clock, and for the wall time without the cost of profiling.
    const cl_command_queue queues[2] = { device->profiled_queue, device->queue };
    for (int i = 0; i < (device->is_gpu ? 2 : 1); i++) {
        fill_memory(reduction, NULL, NULL);
        evict_cache(device);
        if (device->is_gpu && i == 0)
            hold_queue(device);
        if (hooks)
            hooks->wait_for_all();
        const struct times times = run_once(reduction, queues[i], &row->result);
        const bool is_right = value_is_right(reduction, &row->result);
        if (hooks ? !hooks->agree(reduction, is_right) : !is_right)
            return false;
        durations[DURATION_WALL] = times.wall; // of the last queue
        if (i == 0) {
            durations[DURATION_KERNEL] = times.kernel;
            durations[DURATION_SPAN] = times.span;
        }
    }
    if (hooks) // all processes read at the same time, too
        hooks->wait_for_all();
    const struct array elements = reduction->elements;
    const uint64_t bytes = elements.count * reduction->problem.operation->element_bytes;
    durations[DURATION_READ] =
        row->read_is_complete ? time_read(device, elements.buffer, bytes) : NAN;
    durations[DURATION_EMPTY] = time_empty_launch(device);
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
    if (count == 0 || isnan(sum)) // one sample that cannot be trusted makes all doubtful
        return (struct statistics) { NAN, NAN, NAN };
    qsort(samples, count, sizeof *samples, compare_doubles);
    return (struct statistics) { .min = samples[0],
                                 .median = (samples[(count - 1) / 2] + samples[count / 2]) / 2,
                                 .p90 = samples[(count * 9 + 9) / 10 - 1] };
}

/* Computes everything that a row says of its durations. row->bytes is known. */
static void summarise_row(struct row *row, double samples[DURATIONS][SAMPLES_MAX], size_t count,
                          bool is_cold)
{
    const double noisy = 2, doubtful = 150; // p90 / min; percent of the limit
    struct statistics of[DURATIONS];
    row->repetitions = count < SAMPLES_MAX ? count : SAMPLES_MAX;
    for (int d = 0; d < DURATIONS; d++)
        of[d] = compute_statistics(samples[d], row->repetitions);
    row->kernel = of[DURATION_KERNEL];
    row->span = of[DURATION_SPAN];
    row->wall = of[DURATION_WALL];
    row->collective = of[DURATION_COLLECTIVE];
    row->read = of[DURATION_READ].median;
    row->empty = of[DURATION_EMPTY].median;
    row->gbps = 1e-9 * row->bytes / row->wall.median;
    row->limit_gbps = 1e-9 * row->bytes / row->read;
    row->percent_of_limit = 100 * row->read / row->wall.median;
    row->floor_seconds = row->empty + row->read;
    row->rating = is_cold && row->percent_of_limit > doubtful ? RATING_DOUBTFUL
                  : row->wall.p90 > noisy * row->wall.min     ? RATING_NOISY
                                                              : RATING_NORMAL;
}

bool measure(struct reduction *reduction, const struct hooks *hooks, const struct options *options,
             struct row *row)
{
    static double samples[DURATIONS][SAMPLES_MAX]; // 230 KB
    struct device *device = reduction->device;
    const struct array elements = reduction->elements;
    const size_t element_bytes = reduction->problem.operation->element_bytes;
    size_t count = 0;

    *row = (struct row) { .bytes = reduction->input.data.n * element_bytes };
    const bool is_right = verify_run(reduction, true);
    if (hooks ? !hooks->agree(reduction, is_right) : !is_right)
        return false;
    run_once(reduction, device->queue, &row->result); // a warm-up
    row->read_is_complete =
        read_is_complete(device, elements.buffer, elements.count * element_bytes);
    time_empty_launch(device); // a warm-up, too
    // In turn, so that a machine that slows down slows all of them down. Only the last SAMPLES_MAX
    // durations are kept.
    const double start = now(), seconds = options->seconds;
    bool is_enough = false;
    while (!is_enough) {
        double durations[DURATIONS] = { 0 };
        if (!repeat(reduction, hooks, row, durations))
            return false;
        durations[DURATION_SPENT] = now() - start;
        if (hooks)
            hooks->take_slowest(durations);
        for (int d = 0; d < DURATIONS; d++)
            samples[d][count % SAMPLES_MAX] = durations[d];
        count++;
        // At least --reps and --seconds; but three repetitions are enough for a very slow kernel.
        const double spent = durations[DURATION_SPENT];
        const bool is_slow = options->may_end_early && seconds > 0 && spent >= 4 * seconds;
        is_enough = (count >= options->repetitions && spent >= seconds) || (count >= 3 && is_slow);
    }
    summarise_row(row, samples, count, device->evict_bytes > 0);
    // Again, on other data: each repetition may have used what an earlier one left in memory.
    return hooks || verify_again(reduction);
}
