/* Carrying a plan out: its stages in order, then the value on the host. */
#ifndef RUN_H
#define RUN_H

#include "clock.h"
#include "plan.h"

/* Once. Kernel and span are known where run->device is on its queue with profiling. */
struct times reduce_once(const struct run *run, any_value *result);

#endif
