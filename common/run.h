/* Carrying out what stands in a struct run (plan.h): its stages in order, then the value on the
 * host; and the clocks that it is timed by. Seconds everywhere; missing is NAN. */
#pragma once

#include "plan.h"

/* Start and end of a finished event on the device's clock, counted from the first event asked for.
 * Some drivers give zeros, an end before the start, or a few nanoseconds whatever ran: then both
 * are NAN, and so is everything computed from them. */
struct interval {
    double start, end;
};
struct interval event_interval(cl_event event);

struct times {     // of one reduction
    double kernel; // sum over all launches of end - start
    double span;   // first start to last end
    double wall;   // from the first enqueue until the value is on the host
};

/* What this process is at. It lies in memory that another process sees too, which watches it: see
 * check/watch.c. */
struct at_work {
    struct trial trial;
    _Atomic double since; // by now(): when it began to wait for a value, or a build; 0: it does not
    bool on_purpose;      // it ends by its own will, not by the runtime's exit()
};
extern struct at_work *at_work;

/* Once. Kernel and span are NAN, unless the device's queue is its profiled one: measure.c takes
 * that. */
struct times reduce_once(const struct run *run, any_value *result);
