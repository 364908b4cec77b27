/* Carrying a plan out: its stages in order, then the value on the host. */
#ifndef RUN_H
#define RUN_H

#include "clock.h"
#include "plan.h"

/* What this process is at, for one that watches it, in memory of both: see check/watch.c. */
struct at_work {
    struct trial trial;
    _Atomic double since; // by now(): so long it waits for a value, or a build; 0: it does not
    bool on_purpose;      // it ends by its own will, not by the runtime's exit()
};
extern struct at_work *at_work;

/* Once. Kernel and span are known where run->device is on its queue with profiling. */
struct times reduce_once(const struct run *run, any_value *result);

#endif
