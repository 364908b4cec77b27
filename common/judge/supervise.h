/* Runs work in a process of its own. A learner's kernel may never end, or it may crash the OpenCL
 * runtime and its process; then this process is still there to report it. */
#pragma once

#include "options.h"

/* Returns the value of work(request). If that process crashes, or a kernel runs longer than
 * --timeout, prints why. Then it returns STATUS_WRONG if a learner's kernel has run, otherwise
 * STATUS_SETUP. */
int supervise(struct request *request, int (*work)(struct request *request));
