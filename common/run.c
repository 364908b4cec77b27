#define _XOPEN_SOURCE 700 // sigaltstack()
#include "run.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* What the runtimes know as standard output, after hide_output_of_kernels(). pocl writes to file
 * descriptor 1, and Intel's runtime to the variable `stdout` of the C library. */
static FILE *output_of_kernels;

void hide_output_of_kernels(void)
{
    const int own = dup(STDOUT_FILENO),
              other = getenv("REDUCE_NO_PRINTF") ? open("/dev/null", O_WRONLY) : STDERR_FILENO;
    FILE *stream = own < 0 ? NULL : fdopen(own, "w");
    if (!stream || dup2(other, STDOUT_FILENO) < 0)
        fail("standard output cannot be kept apart from what a kernel prints");
    setvbuf(stream, NULL, _IOLBF, 0); // each line is kept, even if the program crashes
    output_of_kernels = stdout;
    stdout = stream;
}

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

    if (reduction->problem.variant->needs & NEEDS_TABLE) { // a group is lanes x chunks
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
    FILE *const own_output = stdout;

    progress->problem = reduction->problem; // for the message if a kernel hangs or crashes
    progress->runs++;
    // When a plan is carried out for the first time, a runtime may still compile at each launch.
    // Then the kernel's time begins when the runtime says that the kernel runs.
    const bool may_compile = profiled && !reduction->has_run && !reduction->device->is_simulated;
    progress->is_running = !may_compile;
    if (output_of_kernels)
        stdout = output_of_kernels;
    const double start = now();
    for (int i = 0; i < reduction->stage_count; i++) {
        const struct stage *stage = &reduction->stages[i];
        cl_event *event = profiled && stage->kind != STAGE_ON_HOST ? &events[event_count++] : NULL;
        switch (stage->kind) {
        case STAGE_LAUNCH:
            if (may_compile) {
                CL(clFinish(queue)); // the previous launch
                progress->is_running = false;
                file_being_compiled = stage->kernel->file;
            }
            launch(reduction, stage, queue, event);
            if (may_compile) {
                const struct timespec pause = { .tv_nsec = 100000 };
                CL(clFlush(queue));
                for (cl_int state = CL_QUEUED; state > CL_RUNNING; nanosleep(&pause, NULL))
                    CL(clGetEventInfo(*event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                                      &state, NULL));
                file_being_compiled = NULL;
                progress->is_running = true;
            }
            break;
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
    progress->is_running = false;
    reduction->has_run = true;
    stdout = own_output;

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
    *result = values ? *operation->identity : reduction->poison; // a loop must set it itself
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

/* ---- a kernel that never ends or crashes */
static struct progress own_progress;
struct progress *progress = &own_progress;

static int watch_timeout; // seconds, for the handler
static enum watch watched_as;

/* Appends to a text. A handler may not call snprintf(). */
static char *append_text(char *end, const char *text)
{
    while (*text)
        *end++ = *text++;
    *end = '\0';
    return end;
}

static char *append_number(char *end, uint64_t number)
{
    char digits[24] = "", *first = digits + sizeof digits - 1;
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    return append_text(end, first);
}

void print_place(char text[80])
{
    const struct problem *problem = &progress->problem;
    *text = '\0';
    if (!problem->variant)
        return;
    char *end = append_number(append_text(text, " at n = "), problem->n);
    if (problem->geometry.group_size)
        append_number(append_text(end, ", groups of "), problem->geometry.group_size);
}

/* Writes a line to standard error, by one call, because several threads may write at once. A
 * handler may not call printf(). */
static void write_line(const char *before, bool names_place, const char *after)
{
    char place[80] = "";
    if (names_place)
        print_place(place);
    const char *const texts[] = { program_name, ": ", before, place, after, "\n" };
    enum { COUNT = sizeof texts / sizeof *texts };
    struct iovec line[COUNT];
    for (int i = 0; i < COUNT; i++)
        line[i] = (struct iovec) { (char *)texts[i], strlen(texts[i]) };
    (void)!writev(STDERR_FILENO, line, COUNT);
}

/* Looks at `progress`, one each second. They are counted instead of seconds, because no time passes
 * for a kernel while its process is stopped. */
struct looks {
    unsigned run;    // that the last look found
    bool found_busy; // running a kernel, or planning
    int count;       // looks that have found the same
    bool has_warned;
};
enum {
    LOOKS_UNTIL_WARNING = 6,  // then the run has lasted for 5 s
    LOOKS_BETWEEN_RUNS = 300, // 5 minutes: planning and compiling take less, even on a busy host
};

/* If a plan is being executed, notes its problem for the message. (The plan may compile a kernel,
 * which is another matter.) False: none is being executed. */
static bool note_plan(void)
{
    if (!problem_being_planned || file_being_compiled)
        return false;
    progress->problem = *problem_being_planned;
    return true;
}

/* Looks once. Warns on standard error if a run takes more than 5 s. True: the current run or plan
 * takes longer than `timeout` seconds, or nothing has happened in between for LOOKS_BETWEEN_RUNS
 * more. */
static bool look_at_progress(struct looks *looks, double timeout)
{
    struct pollfd output = { .fd = fileno(stdout), .events = POLLOUT };
    const bool is_running = progress->is_running, is_busy = is_running || note_plan();
    if (looks->run != progress->runs || looks->found_busy != is_busy)
        *looks = (struct looks) { progress->runs, is_busy, .has_warned = looks->has_warned };
    // A pager may block standard output for any time.
    if (!is_busy && poll(&output, 1, 0) == 0)
        return false;
    looks->count++;
    if (is_running && looks->count == LOOKS_UNTIL_WARNING && !looks->has_warned) {
        looks->has_warned = true;
        write_line("still waiting for the kernel", true, "; does each of its loops end?");
    }
    return looks->count > (is_busy ? timeout : timeout + LOOKS_BETWEEN_RUNS);
}

double find_limit_if_supervised(double timeout)
{
    enum { FEW_ELEMENTS = 4096, SECONDS_FOR_FEW = 8 };
    return progress->problem.n <= FEW_ELEMENTS ? fmin(timeout, SECONDS_FOR_FEW) : timeout;
}

/* If another process watches this one, ends by the signal itself: supervise.c and oclgrind.py know
 * what that means. */
static bool leave_to_watcher(int number)
{
    if (watched_as == WATCH_ITSELF)
        return false;
    signal(number, SIG_DFL);
    raise(number);
    return true;
}

/* Looks every second. */
static void look(int number)
{
    static struct looks looks;
    const double limit =
        watched_as == WATCH_SUPERVISED ? find_limit_if_supervised(watch_timeout) : watch_timeout;
    if (!look_at_progress(&looks, limit))
        return;
    if (file_being_compiled) {
        write_line("the compiler of the OpenCL runtime has not ended for more than 5 minutes",
                   false,
                   ": does a macro of the kernel expand too often, or a loop with #pragma unroll? "
                   "If not, the runtime is at fault: try another --device");
        _exit(STATUS_SETUP);
    }
    if (note_plan()) {
        write_line("the plan has not ended", true, ": does each of its loops end?");
        _exit(STATUS_SETUP);
    }
    if (leave_to_watcher(number))
        return;
    if (progress->is_running)
        write_line("no result within --timeout", true,
                   ": does each loop end, and does every work-item reach each barrier? --races "
                   "shows where; if it finds nothing, try another --device");
    else
        write_line("nothing has happened for more than 5 minutes", true,
                   ": does the plan end, or has the kernel written out of bounds and damaged the "
                   "OpenCL runtime? --races shows the latter");
    _exit(STATUS_WRONG);
}

static void report_crash(int number)
{
    static atomic_flag has_begun = ATOMIC_FLAG_INIT; // several threads may crash at once
    while (atomic_flag_test_and_set(&has_begun))
        pause(); // until the first one has ended the program
    if (note_plan()) {
        write_line("the plan crashed", true,
                   ": does it use an array or a stage that does not exist, divide by 0, or call "
                   "itself without an end? If not, the OpenCL runtime is at fault");
        _exit(STATUS_SETUP);
    }
    if (leave_to_watcher(number))
        return;
    write_line("crashed", true,
               ": the kernel accesses memory out of bounds or has large private or local arrays, "
               "or the OpenCL runtime is at fault: --races shows which");
    _exit(STATUS_WRONG);
}

void watch_runs(double timeout, enum watch watch)
{
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
    static unsigned char stack[1 << 16]; // a handler has no room on a stack that has overflowed
    const stack_t own_stack = { .ss_sp = stack, .ss_size = sizeof stack };
    // Most programs end within 5 s, so no signal disturbs them. A supervised one may have a shorter
    // limit.
    const struct timeval patience = { .tv_sec = watch == WATCH_ITSELF ? 5 : 1 },
                         second = { .tv_sec = 1 };
    watch_timeout = timeout < 1e9 ? (int)timeout : 1000000000;
    sigaltstack(&own_stack, NULL);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i],
                  &(struct sigaction) { .sa_handler = report_crash, .sa_flags = SA_ONSTACK }, NULL);
    watched_as = watch;
    sigaction(SIGALRM, &(struct sigaction) { .sa_handler = look, .sa_flags = SA_RESTART }, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval) { second, patience }, NULL);
}
