#define _XOPEN_SOURCE 700 // sigaltstack()
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

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
    // A group is flat, or a table of lanes x chunks. The groups of a launch lie one after the
    // other, and tables one below the other.
    const bool table = reduction->problem.variant->needs & NEEDS_TABLE;
    const size_t lanes = table ? reduction->lanes : stage->group_size,
                 chunks = stage->group_size / lanes, local[2] = { lanes, chunks },
                 global[2] = { table ? lanes : lanes * stage->groups, chunks * stage->groups };
    const cl_ulong n = stage->in.count;
    // Stages share their kernel, so the arguments are set anew for each launch.
    set_argument(stage->kernel, 0, sizeof stage->in.buffer, &stage->in.buffer);
    set_argument(stage->kernel, 1, sizeof n, &n);
    set_argument(stage->kernel, 2, sizeof stage->out.buffer, &stage->out.buffer);
    set_argument(stage->kernel, 3, stage->scratch_bytes, NULL);
    CL(clEnqueueNDRangeKernel(queue, stage->kernel->kernel, table ? 2 : 1, NULL, global, local, 0,
                              NULL, event));
}

void fetch_value(const struct device *device, cl_command_queue queue, cl_mem buffer, size_t bytes,
                 any_value *value, double *arrived)
{
    if (!device->is_gpu) {
        CL(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, value, 0, NULL, NULL));
        *arrived = now();
        return;
    }
    void *mapped = map_buffer(queue, buffer, bytes); // on a GPU some microseconds faster than read
    memcpy(value, mapped, bytes);
    *arrived = now();
    unmap_buffer(queue, buffer, mapped);
}

struct times run_once(const struct reduction *reduction, cl_command_queue queue,
                      any_value *result)
{
    const bool profiled = queue == reduction->device->profiled_queue;
    const struct operation *operation = reduction->problem.operation;
    struct times times = { 0, NAN, NAN };
    cl_event events[STAGES_MAX];
    double first_start = NAN, arrived;
    int event_count = 0;

    progress->runs++;
    progress->is_running = true;
    const double start = now();
    for (int i = 0; i < reduction->stage_count; i++) {
        const struct stage *stage = &reduction->stages[i];
        cl_event *event = profiled && stage->kind != STAGE_ON_HOST ? &events[event_count++] : NULL;
        switch (stage->kind) {
        case STAGE_LAUNCH: launch(reduction, stage, queue, event); break;
        case STAGE_FILL:
            CL(clEnqueueFillBuffer(queue, stage->out.buffer, operation->identity,
                                   operation->value_bytes, 0,
                                   stage->out.count * operation->value_bytes, 0, NULL, event));
            break;
        case STAGE_ON_HOST: // always the last stage: it makes the result
            stage->on_host(reduction, stage, queue, start, &times, result);
            break;
        }
    }
    if (isnan(times.wall)) {
        fetch_value(reduction->device, queue, reduction->result.buffer, operation->value_bytes,
                    result, &arrived);
        times.wall = arrived - start;
    }
    progress->is_running = false;

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

/* ---- a kernel that never ends or crashes */
static struct progress own_progress;
struct progress *progress = &own_progress;

static struct { // what the handlers need: they may not call functions such as printf()
    char name[64];
    int timeout; // seconds
    unsigned runs; // at the last look
    int looks;     // since this run began
} watch;

void note_progress(const struct problem *problem)
{
    const size_t group_size = problem->geometry.group_size;
    char group[40] = "";
    if (group_size)
        snprintf(group, sizeof group, ", groups of %zu", group_size);
    snprintf(progress->place, sizeof progress->place, " at n = %" PRIu64 "%s", problem->n, group);
    progress->problem = *problem;
}

/* Writes a line to standard error in a way that is allowed in a handler. */
static void write_line(const char *before, const char *after)
{
    const char *const parts[] = { watch.name, ": ", before, progress->place, after, "\n" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        (void)!write(STDERR_FILENO, parts[i], strlen(parts[i]));
}

/* Every second. Looks are counted, not seconds: while the process is stopped, no time passes. */
static void look(int signal)
{
    (void)signal;
    if (!progress->is_running || watch.runs != progress->runs)
        watch.looks = 0;
    watch.runs = progress->runs;
    watch.looks++;
    if (!progress->is_running)
        return;
    if (watch.looks == 6)
        write_line("still waiting for the kernel", "; does each of its loops end?");
    if (watch.looks > watch.timeout) {
        write_line("no result within --timeout",
                   ": does each loop end, and does every work-item reach each barrier? --races "
                   "shows where; if it finds nothing, try another --device");
        _exit(STATUS_WRONG);
    }
}

static void report_crash(int signal)
{
    (void)signal;
    write_line("crashed", ": the kernel accesses memory out of bounds or has large private arrays, "
                          "or the OpenCL runtime is at fault: --races shows which");
    _exit(STATUS_WRONG);
}

void watch_runs(double timeout, bool is_supervised)
{
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
    static unsigned char stack[1 << 16]; // a handler has no room on a stack that has overflowed
    const stack_t own_stack = { .ss_sp = stack, .ss_size = sizeof stack };
    const struct timeval second = { .tv_sec = 1 };
    snprintf(watch.name, sizeof watch.name, "%s", program_name);
    watch.timeout = timeout < 1e9 ? (int)timeout : 1000000000;
    sigaltstack(&own_stack, NULL);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i],
                  &(struct sigaction) { .sa_handler = is_supervised ? SIG_DFL : report_crash,
                                        .sa_flags = SA_ONSTACK },
                  NULL);
    if (is_supervised)
        return;
    sigaction(SIGALRM, &(struct sigaction) { .sa_handler = look, .sa_flags = SA_RESTART }, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval) { second, second }, NULL);
}
