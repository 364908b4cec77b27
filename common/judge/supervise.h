/* Runs a task in a process of its own. A learner's kernel may never end, or it may crash the OpenCL
 * runtime and its process; then this process is still there to report it. */
#pragma once

#include "options.h"

/* Returns the value of task(request). If that process crashes, or a kernel runs longer than
 * --timeout, prints why. Then it returns STATUS_WRONG if a learner's kernel was running, and
 * STATUS_SETUP if nothing had run yet, or if the plan or the compiler was lost. */
int supervise(struct request *request, int (*task)(struct request *request));
