/* Runs work in a process of its own. A learner's kernel may never end, or it may crash the OpenCL
 * runtime and its process; then this process is still there to report it. */
#pragma once

#include "options.h"

/* Returns the value of work(request). If that process crashes, or a kernel runs longer than
 * --timeout, the step's own kernel is tried in a fresh process. If that succeeds, the learner's
 * kernel is at fault (STATUS_WRONG), otherwise the runtime (STATUS_SETUP). */
int supervise(struct request *request, int (*work)(struct request *request));

/* Runs work(request) in a process of its own. After 5 s without a result standard error says so; at
 * --timeout the process is ended. Returns its exit status, or the negative number of the signal
 * that ended it: -SIGALRM at --timeout. */
int run_in_child(struct request *request, int (*work)(struct request *request), bool is_silent);
