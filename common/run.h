/* Carrying out a plan: its stages in order, then the value on the host; and the clocks.
 *
 *   wall     |<-- enqueue … launches … the value on the host -->|
 *   span          |<-- kernel -->   <-- kernel -->|               on the device's clock
 *
 * All times are in seconds. A missing time is NAN, and so is everything computed from it. */
#pragma once

#include "options.h"

struct times {
    double kernel; // sum over all launches and fills of end - start
    double span;   // first start to last end
    double wall;   // from the first enqueue until the value is on the host
};

/* Reduces once. Kernel and span are NAN unless `queue` is the device's profiled queue. */
struct times run_once(struct reduction *reduction, cl_command_queue queue, any_value *result);

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
 * without `op` ends the list. */
struct stage *add_host_loop(struct reduction *reduction, const struct host_loop *loops);

/* ---- a kernel that never ends */

/* From now on each run_once() may take so many seconds by the clock. Then SIGALRM ends the program:
 * with STATUS_WRONG, and a line that names the command which tells more; or, without a command, by
 * the signal itself, which another process waits for. The caller keeps the text of the command, and
 * may change it. */
void set_time_limit(double seconds, const char *command);
