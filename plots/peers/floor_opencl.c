/* floor_opencl: no reduction, but what none by a single work-group can be faster than
 *
 *   work-item    0 1 2 … 255 0 1 2 … 255 …     kernels/limit.cl, read_lanes: reads 16 bytes at a time, four loads under
 *                                              way, and keeps a word; no tree
 *   sum          worked out beforehand, on the host: it lies ready, and goes there as one of ours would
 *
 * It says most at n = 2^12, one round of that kernel's loop: of more, many groups read faster than one. floor_cuda.cu
 * is the same in CUDA: side by side they show what is the launch's and the clock's. Number 0: no step.
 */
#include "clock.h"
#include "plan.h"

#include <math.h>

static const size_t group = 256;
static const struct device *device;
static const struct kernel *reading;
static cl_mem sum, sink;
static void *fetched; // where the sum was mapped by the run before

static void prepare(cl_command_queue queue, cl_mem elements, uint64_t n, bool changed)
{
    (void)queue;
    buffer_unmap(device, sum, fetched);
    fetched = NULL;
    if (!changed)
        return;
    cl_uint all = 0, *x = buffer_map(device, elements, n * sizeof *x);
    for (uint64_t i = 0; i < n; i++)
        all += x[i];
    buffer_unmap(device, elements, x);
    buffer_fill(device, sum, &all, sizeof all, 0, sizeof all);
    CL(clFinish(device->queue));
}

static double read_all(cl_command_queue queue, cl_mem elements, uint64_t n, bool clocked, void *value)
{
    struct device here = *device; // on that one of its queues
    const cl_ulong vectors = n / 4;
    cl_event event;
    here.queue = queue;
    kernel_set(reading, sizeof elements, &elements, sizeof vectors, &vectors, sizeof sink, &sink, (size_t)0);
    kernel_launch(&here, reading, 1, &group, &group, clocked ? &event : NULL);
    fetched = buffer_fetch(&here, sum, sizeof(cl_uint), value);
    if (!clocked)
        return NAN;
    struct interval interval = event_interval(event);
    CL(clReleaseEvent(event));
    return interval.end - interval.start;
}

static bool plan(struct run *run)
{
    static const struct outside calls[] = { { "sum", "int", NULL, read_all, prepare }, { .op = NULL } };
    device = run->device;
    reading = kernel_get(run->plan->kernels, "limit.cl", "read_lanes", "-cl-std=CL1.2 -D SUM -D UINT");
    if (!sum) {
        sum = buffer_create(device, sizeof(cl_uint), "the sum");
        sink = buffer_create(device, group * sizeof(cl_uint), "what was read");
    }
    by_library(run, calls);
    return true;
}

int main(int argc, char **argv)
{
    static const struct step step = { 0, "floor_opencl", 0, { { "floor_opencl", "none", plan, .width = 1 } } };
    return step_main(argc, argv, &step);
}
