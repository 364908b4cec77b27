/* Three clocks, and what many readings of one say together. Seconds everywhere; missing is NAN. */
#ifndef CLOCK_H
#define CLOCK_H

#include <CL/cl.h>
#include <stddef.h>

double now(void); // of the host, monotonic

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

struct statistics {
    double min, median, p90;
};
struct statistics statistics(double *samples, size_t count); // sorts them; any NAN: all NAN

#endif
