/* The fastest read that this device can do, found by trying, at the same size and with the same
 * cold cache as the reduction beside it: a limit from a data sheet would say nothing about this
 * machine at this minute. It is verified as a reduction is, or is no limit.
 */
#include "limit.h"

#include "buffer.h"
#include "run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Shapes to try: a CPU's cores want one long block each, a GPU wants many lanes and several loads
 * in flight: in grid stride where n is small, then in runs; of how many groups differs between GPUs
 * of one name. */
static const struct read_shape {
    const char *kernel;
    size_t group, groups_per_unit;
} cpu_shapes[] = { { "read_blocks", 1, 1 }, { "read_blocks", 1, 4 }, { .kernel = NULL } },
  gpu_shapes[] = { { "read_lanes", 1024, 2 },
                   { "read_runs", 256, 8 },
                   { "read_runs", 256, 32 },
                   { "read_runs", 1024, 2 },
                   { .kernel = NULL } };
enum { MOST_ITEMS = 256 * 32 }; // work-items of a compute unit, at most

uint64_t last_level_cache(const struct device *device)
{
    unsigned long kibibytes = 0;
    for (int index = 0; device->cpu && index < 8; index++) { // OpenCL often names a smaller one
        char path[80];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        FILE *file = fopen(path, "r");
        if (!file)
            break;
        (void)!fscanf(file, "%luK", &kibibytes); // the last one is the largest
        fclose(file);
    }
    return kibibytes ? kibibytes * 1024 : device->cache_bytes;
}

struct limit limit_open(const struct device *device, uint64_t evict_bytes)
{
    struct limit limit = { device, evict_bytes / 16 * 16 };
    limit.other = buffer_create(device, evict_bytes + 16, "--evict"); // never of nothing
    limit.sink = buffer_create(device, sizeof(cl_uint) * MOST_ITEMS * device->compute_units,
                               "the read limit");
    return limit;
}

void limit_close(struct limit *limit)
{
    CL(clReleaseMemObject(limit->other));
    CL(clReleaseMemObject(limit->sink));
}

void limit_evict(const struct limit *limit)
{
    const cl_ulong count = limit->evict_bytes / 16;
    if (count == 0)
        return;
    const struct kernel *evict = kernel_get(limit->device, "limit.cl", "evict", "");
    kernel_set(evict, ARRAY(limit->other), NUMBER(count));
    kernel_launch(limit->device->queue, evict, count, 64, NULL);
    CL(clFinish(limit->device->queue));
}

void limit_hold(const struct limit *limit)
{
    const struct device *device = limit->device;
    const cl_uint iterations = 20000;
    // Where wall times are taken on it, nothing may wait; a simulator has no time of its own.
    if (device->profiled == device->queue || device->simulated)
        return;
    const struct kernel *hold = kernel_get(device, "limit.cl", "hold", "");
    kernel_set(hold, ARRAY(limit->sink), NUMBER(iterations));
    kernel_launch(device->profiled, hold, 1, 1, NULL);
}

/* Work-items of the shape that is meant. */
static size_t items(const struct limit *limit)
{
    const struct read_shape *shape = limit->shape;
    return shape->group * shape->groups_per_unit * limit->device->compute_units;
}

double limit_read(const struct limit *limit, cl_mem elements, uint64_t bytes)
{
    if (!limit->shape)
        return NAN;
    const struct device *device = limit->device;
    const struct kernel *read = kernel_get(device, "limit.cl", limit->shape->kernel, "");
    // Vectors of 16 bytes, or of 64; the guard behind the elements has room for the last one.
    const cl_ulong count = ceil_div(bytes, 64) * (device->gpu ? 4 : 1);
    cl_event event;

    limit_evict(limit);
    limit_hold(limit);
    double start = now();
    kernel_set(read, ARRAY(elements), NUMBER(count), ARRAY(limit->sink));
    kernel_launch(device->profiled, read, items(limit), limit->shape->group, &event);
    CL(clFinish(device->profiled));
    double wall = now() - start;

    struct interval interval = event_interval(event);
    CL(clReleaseEvent(event));
    double seconds = interval.end - interval.start;
    return seconds <= wall ? seconds : device->profiled == device->queue ? wall : NAN;
}

/* The xor of `words` words, which a kernel has left: one for each of its work-items. */
static cl_uint xor_of(const struct limit *limit, size_t words)
{
    cl_uint *word = allocate(words * sizeof *word), all = 0;
    buffer_read(limit->device, limit->sink, 0, words * sizeof *word, word);
    for (size_t i = 0; i < words; i++)
        all ^= word[i];
    free(word);
    return all;
}

/* The xor of all words that a shape has to read, by work-items that read a few vectors only: there
 * are runtimes that end a long loop too soon, without a word. */
static cl_uint xor_of_all(const struct limit *limit, cl_mem elements, uint64_t bytes)
{
    const struct device *device = limit->device;
    const struct kernel *xor_all = kernel_get(device, "limit.cl", "xor_all", "");
    const cl_ulong count = ceil_div(bytes, 64) * 4, few = 64;
    const cl_uint zero = 0;

    buffer_write(device, limit->sink, 0, sizeof zero, &zero);
    kernel_set(xor_all, ARRAY(elements), NUMBER(count), ARRAY(limit->sink));
    kernel_launch(device->queue, xor_all, ceil_div(count, few), device->gpu ? 64 : 1, NULL);
    return xor_of(limit, 1);
}

void limit_choose(struct limit *limit, cl_mem elements, uint64_t bytes)
{
    const cl_uint all = xor_of_all(limit, elements, bytes);
    const struct read_shape *best_shape = NULL;
    double best = INFINITY;
    // In turn, so that a machine that slows down in between does not decide; each is verified.
    for (int turn = 0; turn < 4; turn++) {
        limit->shape = limit->device->gpu ? gpu_shapes : cpu_shapes;
        for (; limit->shape->kernel; limit->shape++) {
            const double seconds = limit_read(limit, elements, bytes);
            if (xor_of(limit, items(limit)) == all && (!best_shape || seconds < best)) {
                best = fmin(best, seconds); // there may be no time, only NAN
                best_shape = limit->shape;
            }
        }
    }
    limit->shape = best_shape;
}

double limit_empty_launch(const struct limit *limit)
{
    const struct device *device = limit->device;
    const struct kernel *nothing = kernel_get(device, "limit.cl", "nothing", "");
    cl_uint value;

    limit_evict(limit);
    double start = now();
    kernel_set(nothing, ARRAY(limit->sink));
    kernel_launch(device->queue, nothing, 1, 1, NULL);
    return buffer_fetch(device, limit->sink, sizeof value, &value) - start;
}
