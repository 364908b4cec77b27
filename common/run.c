#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static unsigned seconds_per_run; // 0: no limit

double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

struct interval read_event(cl_event event)
{
    const cl_ulong shortest = 20; // ns: rusticl reports 2 and 3 whatever it ran
    static cl_ulong origin;
    cl_ulong start = 0, end = 0;
    cl_int status =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (status == CL_SUCCESS)
        status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (status != CL_SUCCESS && status != CL_PROFILING_INFO_NOT_AVAILABLE) // the latter: no clock
        fail_in_opencl(status, "clGetEventProfilingInfo");
    if (start == 0 || end <= start || end - start < shortest)
        return (struct interval) { NAN, NAN };
    // NVIDIA counts from 1970. Doubles of that size are a quarter of a microsecond apart, so times
    // are counted from the first one.
    origin = origin ? origin : start;
    const double from = 1e-9 * (cl_long)(start - origin);
    return (struct interval) { from, from + 1e-9 * (end - start) };
}

static void launch(const struct reduction *reduction, const struct stage *stage,
                   cl_command_queue queue, cl_event *event)
{
    const cl_kernel kernel = stage->kernel->kernel;
    const cl_ulong n = stage->in.count;
    // Stages share their kernel, so the arguments are set anew for each launch.
    CL(clSetKernelArg(kernel, 0, sizeof stage->in.buffer, &stage->in.buffer));
    CL(clSetKernelArg(kernel, 1, sizeof n, &n));
    CL(clSetKernelArg(kernel, 2, sizeof stage->out.buffer, &stage->out.buffer));
    if (stage->kernel->argument_count == 4)
        CL(clSetKernelArg(kernel, 3, stage->scratch_bytes, NULL));

    if (reduction->problem.variant->needs & NEEDS_TWO_DIMENSIONS) { // a group is lanes x chunks
        const size_t chunks = stage->group_size / reduction->lanes;
        const size_t local[2] = { reduction->lanes, chunks };
        const size_t global[2] = { reduction->lanes, chunks * stage->groups };
        CL(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, event));
    } else {
        const size_t global = stage->groups * stage->group_size;
        CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &stage->group_size, 0, NULL,
                                  event));
    }
}

double fetch_value(const struct device *device, cl_command_queue queue, cl_mem buffer, size_t bytes,
                   any_value *value)
{
    if (!device->is_gpu) {
        CL(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, value, 0, NULL, NULL));
        return now();
    }
    cl_int status; // to map is some microseconds faster than to read on a GPU
    void *mapped =
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clEnqueueMapBuffer");
    memcpy(value, mapped, bytes);
    const double arrived = now();
    CL(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    CL(clFinish(queue)); // the next command may use another queue
    return arrived;
}

struct times run_once(struct reduction *reduction, cl_command_queue queue, any_value *result)
{
    const bool profiled = queue == reduction->device->profiled_queue;
    const struct operation *operation = reduction->problem.operation;
    struct times times = { profiled ? 0 : NAN, NAN, NAN };
    cl_event events[STAGES_MAX];
    double first_start = NAN;
    int event_count = 0;
    bool has_result = false; // on the host

    alarm(seconds_per_run);
    const double start = now();
    for (int i = 0; i < reduction->stage_count; i++) {
        const struct stage *stage = &reduction->stages[i];
        cl_event *event =
            profiled && stage->action != STAGE_ON_HOST ? &events[event_count++] : NULL;
        switch (stage->action) {
        case STAGE_LAUNCH: launch(reduction, stage, queue, event); break;
        case STAGE_FILL:
            CL(clEnqueueFillBuffer(queue, stage->out.buffer, operation->identity,
                                   operation->value_bytes, 0,
                                   stage->out.count * operation->value_bytes, 0, NULL, event));
            break;
        case STAGE_ON_HOST: // always the last stage: it makes the result
            stage->on_host(reduction, stage, queue, start, &times, result);
            has_result = true;
            break;
        }
    }
    if (!has_result)
        times.wall = fetch_value(reduction->device, queue, reduction->result.buffer,
                                 operation->value_bytes, result) -
                     start;
    alarm(0);

    // Events are asked for their times only now, because asking takes time itself.
    for (int i = 0; i < event_count; i++) {
        const struct interval event = read_event(events[i]);
        CL(clReleaseEvent(events[i]));
        first_start = i == 0 ? event.start : first_start;
        times.kernel += event.end - event.start;
        times.span = event.end - first_start;
    }
    if (!(times.kernel <= times.wall && times.span <= times.wall)) // such a clock cannot be right
        times.kernel = times.span = NAN;
    return times;
}

/* ---- stages on the host, for plans */
/* Combines what the device wrote, or the elements themselves. To map the elements is not what is
 * measured: they are the host's own here, so the wall time begins after that. */
static void combine_on_host(const struct reduction *reduction, const struct stage *stage,
                            cl_command_queue queue, double start, struct times *times,
                            any_value *result)
{
    const struct operation *operation = reduction->problem.operation;
    const bool values = stage->in.has_values;
    const size_t bytes = values ? operation->value_bytes : operation->element_bytes;
    cl_int status;
    void *mapped = clEnqueueMapBuffer(queue, stage->in.buffer, CL_TRUE, CL_MAP_READ, 0,
                                      stage->in.count * bytes, 0, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clEnqueueMapBuffer");
    if (!values)
        start = now();
    *result =
        values ? *operation->identity : reduction->verdict.poison; // a loop must set it itself
    stage->combine(mapped, stage->in.count, result);
    times->wall = now() - start;
    CL(clEnqueueUnmapMemObject(queue, stage->in.buffer, mapped, 0, NULL, NULL));
    CL(clFinish(queue)); // the next command may use another queue
}

struct stage *add_host_finish(struct reduction *reduction, struct array values)
{
    if (!values.has_values)
        fail("add_host_finish() is for partial results, not for elements, as at n = %" PRIu64,
             reduction->problem.n);
    return append_stage(reduction, (struct stage) { STAGE_ON_HOST, "host fold", values,
                                                    .on_host = combine_on_host,
                                                    .combine = reduction->problem.operation->fold,
                                                    .chain_length = values.count });
}

struct stage *add_host_loop(struct reduction *reduction, const struct host_loop *loops)
{
    const struct operation *operation = reduction->problem.operation;
    char offered[300] = "";
    for (const struct host_loop *loop = loops; loop->op; loop++) {
        if (strcmp(loop->op, operation->op) == 0 && strcmp(loop->type, operation->type) == 0)
            return append_stage(
                reduction, (struct stage) { STAGE_ON_HOST, "host loop", reduction->elements,
                                            .on_host = combine_on_host, .combine = loop->reduce,
                                            .chain_length = reduction->elements.count });
        snprintf(offered + strlen(offered), sizeof offered - strlen(offered), "%s%s of %s",
                 *offered ? ", " : "", loop->op, loop->type);
    }
    unsupported(reduction, "no %s of %s; it has %s", operation->op, operation->type, offered);
    return NULL;
}

/* ---- a kernel that never ends */
static char what_happened[5400]; // a name of a program may have 4095 characters
static const char *command_that_explains;

static void report_alarm(int number)
{
    static const char end[] = " says where\n";
    (void)number; // and a handler of signals may not call printf()
    (void)!write(STDERR_FILENO, what_happened, strlen(what_happened));
    (void)!write(STDERR_FILENO, command_that_explains, strlen(command_that_explains));
    (void)!write(STDERR_FILENO, end, strlen(end));
    _exit(STATUS_WRONG);
}

void set_time_limit(double seconds, const char *command)
{
    seconds_per_run = seconds < 1e9 ? (unsigned)ceil(seconds) : 0;
    command_that_explains = command;
    signal(SIGALRM, command ? report_alarm : SIG_DFL); // a parent may have ignored it
    snprintf(what_happened, sizeof what_happened,
             "%s: no result for %g s (--timeout): does each loop end, and does every work-item "
             "reach each barrier? ",
             program_name, seconds);
}
