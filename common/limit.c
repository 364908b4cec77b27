/* The fastest read that this device can do, found by trying, at the same size and with the same cold cache as the
 * reduction beside it: a limit from a data sheet would say nothing about this machine at this minute.
 */
#include "limit.h"

#include <math.h>
#include <stdlib.h>

/* Shapes to try: a CPU's cores want one long block each, a GPU wants many lanes and several loads under way: in grid
 * stride where n is small, then in runs; of how many groups differs between GPUs of one name. */
static const struct shape {
    const char *kernel;
    size_t group, groups_per_unit, vector_bytes;
} cpu_shapes[] = { { "read_blocks", 1, 1, 64 }, { "read_blocks", 1, 4, 64 }, { .kernel = NULL } },
  gpu_shapes[] = { { "read_lanes", 1024, 2, 16 },
                   { "read_runs", 256, 8, 16 },
                   { "read_runs", 256, 32, 16 },
                   { "read_runs", 1024, 2, 16 },
                   { .kernel = NULL } };

static const char options[] = "-cl-std=CL1.2 -D SUM -D UINT"; // operator.clh comes along, unused

static const struct shape *shapes_of(const struct device *device) { return device->gpu ? gpu_shapes : cpu_shapes; }

struct limit limit_open(const struct device *device, struct kernels *kernels, uint64_t evict_bytes)
{
    struct limit limit = { .device = device, .kernels = kernels, .evict_bytes = evict_bytes / 16 * 16 };
    if (limit.evict_bytes > 0)
        limit.other = buffer_create(device, limit.evict_bytes, "--evict");
    uint64_t most = 0; // work-items for each compute unit, of all shapes
    for (const struct shape *shape = shapes_of(device); shape->kernel; shape++)
        most = shape->group * shape->groups_per_unit > most ? shape->group * shape->groups_per_unit : most;
    limit.sink = buffer_create(device, 4 * most * device->compute_units, "the read limit");
    return limit;
}

void limit_close(struct limit *limit)
{
    if (limit->other)
        CL(clReleaseMemObject(limit->other));
    CL(clReleaseMemObject(limit->sink));
}

void limit_evict(const struct limit *limit)
{
    if (limit->evict_bytes == 0)
        return;
    const struct kernel *evict = kernel_get(limit->kernels, "limit.cl", "evict", options);
    const cl_ulong count = limit->evict_bytes / 16;
    size_t local = 64, global = ceil_div(count, local) * local;
    kernel_set(evict, sizeof(cl_mem), &limit->other, sizeof count, &count, (size_t)0);
    kernel_launch(limit->device, evict, 1, &global, &local, NULL);
    CL(clFinish(limit->device->queue));
}

void limit_hold(const struct limit *limit)
{
    const struct device clocked = device_profiled(limit->device);
    if (clocked.queue == limit->device->queue)
        return;
    const struct kernel *hold = kernel_get(limit->kernels, "limit.cl", "hold", options);
    const cl_uint turns = 20000;
    size_t one = 1;
    kernel_set(hold, sizeof(cl_mem), &limit->sink, sizeof turns, &turns, (size_t)0);
    kernel_launch(&clocked, hold, 1, &one, &one, NULL);
}

double limit_read(const struct limit *limit, struct span elements, uint64_t bytes)
{
    const struct shape *shape = &shapes_of(limit->device)[limit->shape];
    const struct kernel *read = kernel_get(limit->kernels, "limit.cl", shape->kernel, options);
    const cl_ulong count = ceil_div(bytes, shape->vector_bytes); // the guard behind n elements has room for that
    size_t local = shape->group < read->group_limit ? shape->group : read->group_limit;
    size_t global = local * shape->groups_per_unit * limit->device->compute_units;
    const struct device clocked = device_profiled(limit->device);
    cl_event event;

    limit_hold(limit);
    double start = now();
    kernel_set(read, sizeof(cl_mem), &elements.buffer, sizeof count, &count, sizeof(cl_mem), &limit->sink, (size_t)0);
    kernel_launch(&clocked, read, 1, &global, &local, &event);
    CL(clFinish(clocked.queue));
    double wall = now() - start;

    struct interval interval = event_interval(event);
    CL(clReleaseEvent(event));
    double kernel = interval.end - interval.start;
    return kernel <= wall ? kernel : clocked.queue == limit->device->queue ? wall : NAN;
}

void limit_choose(struct limit *limit, struct span elements, uint64_t bytes)
{
    double best = INFINITY;
    int best_shape = 0;
    // In turn, so that a machine that slows down in between does not decide.
    for (int turn = 0; turn < 4; turn++) {
        for (limit->shape = 0; shapes_of(limit->device)[limit->shape].kernel; limit->shape++) {
            limit_evict(limit);
            double seconds = limit_read(limit, elements, bytes);
            if (turn > 0 && seconds < best) { // turn 0 warms up
                best = seconds;
                best_shape = limit->shape;
            }
        }
    }
    limit->shape = best_shape;
}

double limit_empty_launch(const struct limit *limit)
{
    const struct kernel *nothing = kernel_get(limit->kernels, "limit.cl", "nothing", options);
    size_t one = 1;
    cl_uint value;

    double start = now();
    kernel_set(nothing, sizeof(cl_mem), &limit->sink, (size_t)0);
    kernel_launch(limit->device, nothing, 1, &one, &one, NULL);
    void *mapped = buffer_fetch(limit->device, limit->sink, sizeof value, &value);
    double wall = now() - start;
    buffer_unmap(limit->device, limit->sink, mapped);
    return wall;
}
