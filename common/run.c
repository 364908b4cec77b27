/* From a plan to commands in a queue.
 *
 *   wall     |<-- enqueue … launches … the value on the host -->|
 *   span          |<-- kernel -->   <-- kernel -->|               on the device's clock
 */
#include "run.h"

#include "buffer.h"
#include <math.h>

static struct at_work alone; // in a process that nobody watches
struct at_work *at_work = &alone;

struct interval event_interval(cl_event event)
{
    const cl_ulong least = 20; // ns: nothing takes less; rusticl says 2 and 3 whatever it ran
    static cl_ulong origin;
    cl_ulong start = 0, end = 0;
    cl_int status =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (status == CL_SUCCESS)
        status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (status != CL_PROFILING_INFO_NOT_AVAILABLE) // there is no clock then, and no start
        check_cl(status, "clGetEventProfilingInfo");
    if (start == 0 || end <= start || end - start < least)
        return (struct interval) { NAN, NAN };
    // From the first start on: NVIDIA counts from 1970, and in doubles such times are a quarter of
    // a microsecond apart.
    origin = origin ? origin : start;
    const double from = 1e-9 * (cl_long)(start - origin);
    return (struct interval) { from, from + 1e-9 * (end - start) };
}

/* A kernel, or, where there is none, a fill. */
static void launch(const struct run *run, const struct stage *stage, cl_event *event)
{
    const size_t bytes = run->operation->value_bytes;
    if (!stage->kernel) {
        CL(clEnqueueFillBuffer(run->device->queue, stage->out.buffer, run->operation->identity,
                               bytes, 0, stage->out.count * bytes, 0, NULL, event));
        return;
    }
    // Groups are flat, or tables of lanes x runs, one below the other.
    const bool table = run->variant->needs & LANES_X_RUNS;
    const size_t lanes = table ? run->lanes : stage->group, runs = stage->group / lanes,
                 local[] = { lanes, runs },
                 global[] = { table ? lanes : lanes * stage->groups, runs * stage->groups };
    const cl_ulong n = stage->in.count;
    // Arguments are set anew for each launch: stages share their kernel.
    kernel_set(stage->kernel, ARRAY(stage->in.buffer), NUMBER(n), ARRAY(stage->out.buffer),
               stage->group * run->scratch * bytes, (void *)NULL);
    CL(clEnqueueNDRangeKernel(run->device->queue, stage->kernel->kernel, table ? 2 : 1, NULL,
                              global, local, 0, NULL, event));
}

/* What the device's clock says, after the wall time: asking an event costs time of its own. */
static void read_events(const cl_event *events, int launched, struct times *times)
{
    double first = NAN;
    for (int i = 0; i < launched; i++) {
        struct interval event = event_interval(events[i]);
        CL(clReleaseEvent(events[i]));
        first = i == 0 ? event.start : first;
        times->kernel += event.end - event.start;
        times->span = event.end - first;
    }
    if (!(times->kernel <= times->wall && times->span <= times->wall)) // that cannot be right
        times->kernel = times->span = NAN;
}

struct times reduce_once(const struct run *run, any_value *result)
{
    const bool clocked = run->device->queue == run->device->profiled;
    struct times times = { 0, NAN, NAN };
    cl_event events[STAGES];
    int launched = 0;

    const double start = now();
    at_work->since = start;
    for (int i = 0; i < run->stage_count; i++) {
        const struct stage *stage = &run->stages[i];
        if (stage->on_host) // the last one: it makes the result
            stage->on_host(run, stage, start, &times, result);
        else
            launch(run, stage, clocked ? &events[launched++] : NULL);
    }
    if (isnan(times.wall))
        times.wall =
            buffer_fetch(run->device, run->result.buffer, run->operation->value_bytes, result) -
            start;
    at_work->since = 0;
    read_events(events, launched, &times);
    return times;
}
