/* Carrying out a plan: its stages in order, then the value on the host; and the clocks.
 *
 *   wall     |<-- enqueue … launches … the value on the host -->|
 *   span          |<-- kernel -->   <-- kernel -->|               on the device's clock
 *
 * All times are in seconds. A missing time is NAN, and so is everything computed from it. */
#pragma once

#include "plan.h"

struct times {
    double kernel; // sum over all launches and fills of end - start
    double span;   // first start to last end
    double wall;   // from the first enqueue until the value is on the host
};

/* Reduces once. Kernel and span are NAN unless `queue` is the device's profiled queue. */
struct times run_once(struct reduction *reduction, cl_command_queue queue, any_value *result);

/* From now on only this program itself writes to standard output. What a kernel prints goes to
 * standard error, or nowhere if REDUCE_NO_PRINTF is set, as the exercises do. So it cannot look
 * like a test or a row. */
void hide_output_of_kernels(void);

/* Reads a value back in the fastest way. Returns the time, by now(), at which the host had it. */
double fetch_value(const struct device *device, cl_command_queue queue, cl_mem buffer, size_t bytes,
                   any_value *value);

double now(void); // by the host's monotonic clock

/* Start and end of a finished event, counted from the first event that was asked for. Some drivers
 * report zeros, an end before the start, or a few nanoseconds for anything: then both are NAN. */
struct interval {
    double start, end;
};
struct interval read_event(cl_event event);

/* ---- stages on the host, for plans */

/* The host reads the values back and combines them, in order, inside the wall time. The stage's
 * `combine` may be replaced. */
struct stage *add_host_finish(struct reduction *reduction, struct array values);

struct host_loop { // for one operator and type
    const char *op, *type;
    void (*reduce)(const void *elements, uint64_t n, void *value);
};

/* No launch: the loop for this operator and type reads the elements in the host's memory. A loop
 * without `op` ends the table. */
struct stage *add_host_loop(struct reduction *reduction, const struct host_loop *loops);

/* ---- a kernel that never ends or crashes */

/* What this process is doing, for the handlers of signals and for a process that supervises this
 * one (see judge/supervise.c): both may only look at memory. */
struct progress {
    struct problem problem;   // of the last run or plan
    volatile unsigned runs;   // begun so far
    volatile bool is_running; // a kernel is being executed
    bool has_ended;           // the program ended by its own decision
};
extern struct progress *progress;

/* " at n = 1000, groups of 256": where the problem of `progress` is, or "" if there is none. May be
 * called in the handler of a signal. */
void print_place(char text[80]);

enum watch {          // what ends this process if a kernel never ends or crashes
    WATCH_ITSELF,     // a handler of signals, with a line on standard error and STATUS_WRONG
    WATCH_SUPERVISED, // SIGALRM or the crash itself: see judge/supervise.c
    WATCH_SIMULATED   // the same inside Oclgrind: see judge/oclgrind.py
};

/* From now on a handler looks at `progress` each second. After 5 s without a result standard error
 * says so. After `timeout` seconds or a crash, the process ends. A stack that overflows in a thread
 * of the runtime ends it without a line. */
void watch_runs(double timeout, enum watch watch);

/* How long the current run of a supervised process may take, in seconds. A few elements need no
 * time, so a learner's kernel that never ends is noticed soon. */
double find_limit_if_supervised(double timeout);
