#include "measure.h"

#include "verify.h"
#include <math.h>
#include <stdlib.h>

/* ---- what a reduction is measured against. A data sheet does not describe this machine at this
 * minute, so the limit is a program that reads the same bytes, measured beside the reduction. */
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

/* Keeps a GPU's profiled queue busy until the host has enqueued the next launches. Otherwise the
 * GPU waits between two launches for the host, and wakes up for each of them, which both take
 * microseconds by its own clock. */
static void hold_queue(struct device *device)
{
    const cl_uint iterations = 20000;
    const struct kernel *kernel = get_kernel(device, "limit.cl", "hold", "");
    CL(clSetKernelArg(kernel->kernel, 0, sizeof device->sink, &device->sink));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof iterations, &iterations));
    launch_kernel(device->profiled_queue, kernel, 1, 1, NULL);
}

/* Runs a plan once, from a cold cache. */
static struct times run_cold(struct reduction *reduction, const struct hooks *hooks,
                             cl_command_queue queue, any_value *result)
{
    struct device *device = reduction->device;
    evict_cache(device);
    if (device->is_gpu && queue == device->profiled_queue)
        hold_queue(device);
    if (hooks)
        hooks->wait_for_all();
    return run_once(reduction, queue, result);
}

/* Plans the program that only reads, with the kernel for this device, built with these options. */
static void plan_read_by(const char *options, struct reduction *read, struct device *device,
                         cl_mem elements, uint64_t bytes)
{
    static const struct variant reading = { "read" };
    const struct kernel *kernel =
        get_kernel(device, "limit.cl", device->is_gpu ? "read_batches" : "read_blocks", options);
    // Vectors of 16 bytes on a GPU, else of 64. The last one may end in the guard.
    const uint64_t past_end = device->guard_elements ? 63 : 0,
                   vectors = (bytes + past_end) / 64 * (device->is_gpu ? 4 : 1);
    size_t group_size = device->read_group_size; // a power of two: see read_batches
    while (group_size > kernel->largest_group)
        group_size /= 2;
    // With fewer elements fewer groups are faster: a batch per sub-group, or 32 KiB on a CPU.
    const uint64_t busy = ceil_div(vectors, device->is_gpu ? 4 * group_size : 512),
                   groups = busy < device->read_groups ? busy : device->read_groups;
    *read = (struct reduction) { .device = device,
                                 .problem = { &reading, &operation_sum_uint },
                                 .result = { device->sink, 1 } };
    append_stage(read, (struct stage) { STAGE_LAUNCH,
                                        "read",
                                        { elements, vectors },
                                        { device->sink, 1 },
                                        groups ? groups : 1,
                                        group_size,
                                        .kernel = kernel });
}

void plan_read(struct reduction *read, struct device *device, cl_mem elements, uint64_t bytes)
{
    static const char *const for_cpus[2] = { "-D VECTOR=uint16", "-D VECTOR=uint" };
    double shortest[2] = { INFINITY, INFINITY };
    any_value word;
    if (device->is_gpu) {
        plan_read_by("", read, device, elements, bytes);
        return;
    }
    for (int run = 0; run < 6; run++) { // in turn; the first run of each also warms up
        plan_read_by(for_cpus[run % 2], read, device, elements, bytes);
        const struct times times = run_cold(read, NULL, device->queue, &word);
        shortest[run % 2] = fmin(shortest[run % 2], times.wall);
    }
    plan_read_by(for_cpus[shortest[1] < shortest[0]], read, device, elements, bytes);
}

/* Does that program read all elements? (Some runtimes end long loops early, without an error.) */
static bool read_is_complete(struct reduction *read)
{
    struct device *device = read->device;
    const struct stage *stage = &read->stages[0];
    const cl_ulong count = stage->in.count * (device->is_gpu ? 1 : 4); // vectors of 16 bytes
    const size_t bytes = device->sink_words * sizeof(cl_uint);
    const cl_uint zero = 0;
    cl_uint all = 0, expected;
    any_value first;
    cl_int status;

    // Each work-item writes the xor of its words, and leaves all other places at 0.
    CL(clEnqueueFillBuffer(device->queue, device->sink, &zero, sizeof zero, 0, bytes, 0, NULL,
                           NULL));
    run_once(read, device->queue, &first);
    cl_uint *found = clEnqueueMapBuffer(device->queue, device->sink, CL_TRUE, CL_MAP_READ, 0, bytes,
                                        0, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clEnqueueMapBuffer");
    for (size_t i = 0; i < device->sink_words; i++)
        all ^= found[i];
    CL(clEnqueueUnmapMemObject(device->queue, device->sink, found, 0, NULL, NULL));

    // The same, launched with enough work-items to keep each loop short.
    const struct kernel *kernel = get_kernel(device, "limit.cl", "xor_all", "");
    CL(clEnqueueWriteBuffer(device->queue, device->sink, CL_TRUE, 0, sizeof zero, &zero, 0, NULL,
                            NULL));
    CL(clSetKernelArg(kernel->kernel, 0, sizeof stage->in.buffer, &stage->in.buffer));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof count, &count));
    CL(clSetKernelArg(kernel->kernel, 2, sizeof device->sink, &device->sink));
    launch_kernel(device->queue, kernel, (count + 63) / 64, device->is_gpu ? 64 : 1, NULL);
    CL(clEnqueueReadBuffer(device->queue, device->sink, CL_TRUE, 0, sizeof expected, &expected, 0,
                           NULL, NULL));
    return all == expected;
}

/* ---- repetitions */
/* One repetition: reduces, with nothing useful in memory, and only reads. False: the result is
 * wrong. */
static bool repeat(struct reduction *reduction, struct reduction *read, const struct hooks *hooks,
                   struct row *row, double durations[DURATIONS])
{
    struct device *device = reduction->device;
    // On a GPU twice: for the device's clock, and for the wall time without the cost of profiling.
    const cl_command_queue queues[2] = { device->profiled_queue, device->queue };
    any_value word;
    for (int i = 0; i < (device->is_gpu ? 2 : 1); i++) {
        fill_memory(reduction, NULL, NULL);
        const struct times times = run_cold(reduction, hooks, queues[i], &row->result);
        const bool is_right = value_is_right(reduction, &row->result);
        if (hooks ? !hooks->agree(reduction, is_right) : !is_right)
            return false;
        const struct times of_read = run_cold(read, hooks, queues[i], &word);
        durations[DURATION_WALL] = times.wall; // of the last queue
        durations[DURATION_READ_WALL] = row->read_is_complete ? of_read.wall : NAN;
        if (i == 0) {
            durations[DURATION_KERNEL] = times.kernel;
            durations[DURATION_SPAN] = times.span;
            durations[DURATION_READ_KERNEL] = row->read_is_complete ? of_read.kernel : NAN;
        }
    }
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
                          bool is_limited)
{
    const double noisy = 2, doubtful = 150; // p90 / min; percent of the limit
    struct statistics of[DURATIONS];
    row->repetitions = count < SAMPLES_MAX ? count : SAMPLES_MAX;
    for (int r = 0; r < DURATIONS; r++)
        of[r] = compute_statistics(samples[r], row->repetitions);
    row->kernel = of[DURATION_KERNEL];
    row->span = of[DURATION_SPAN];
    row->wall = of[DURATION_WALL];
    row->collective = of[DURATION_COLLECTIVE];
    row->read_wall = of[DURATION_READ_WALL].median;
    row->read_kernel = of[DURATION_READ_KERNEL].median;
    row->gbps = 1e-9 * row->bytes / row->wall.median;
    row->limit_gbps = 1e-9 * row->bytes / row->read_wall;
    row->percent_of_limit = 100 * row->read_wall / row->wall.median;
    // By both clocks, because on a busy machine the host may notice late that the read has ended.
    const bool is_too_fast = is_limited && row->percent_of_limit > doubtful &&
                             100 * row->read_kernel / row->span.median > doubtful;
    row->rating = is_too_fast                             ? RATING_DOUBTFUL
                  : row->wall.p90 > noisy * row->wall.min ? RATING_NOISY
                                                          : RATING_NORMAL;
}

bool measure(struct reduction *reduction, const struct hooks *hooks, const struct options *options,
             struct row *row)
{
    static double samples[DURATIONS][SAMPLES_MAX]; // 230 KB
    static struct reduction read;                  // 13 KB
    struct device *device = reduction->device;
    const struct array elements = reduction->elements;
    const size_t element_bytes = reduction->problem.operation->element_bytes;
    size_t count = 0;

    *row = (struct row) { .bytes = reduction->input.data.n * element_bytes };
    const bool is_right = verify_run(reduction, true);
    if (hooks ? !hooks->agree(reduction, is_right) : !is_right)
        return false;
    run_once(reduction, device->queue, &row->result); // a warm-up
    plan_read(&read, device, elements.buffer, elements.count * element_bytes);
    row->read_is_complete = read_is_complete(&read);
    // In turn, so that a machine that slows down slows all of them down. Only the last SAMPLES_MAX
    // durations are kept.
    const double start = now(), seconds = options->seconds;
    bool is_enough = false;
    while (!is_enough) {
        double durations[DURATIONS] = { 0 };
        if (!repeat(reduction, &read, hooks, row, durations))
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
    // A loop on the host may be far above the limit if n is small, because it needs no launch.
    const bool has_launch = reduction->stages[reduction->first_launch].action == STAGE_LAUNCH;
    summarise_row(row, samples, count, device->evict_bytes > 0 && has_launch);
    // Again, on other data: each repetition may have used what an earlier one left in memory.
    return hooks || verify_again(reduction);
}
