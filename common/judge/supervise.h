/* Runs work in a process of its own: a foreign kernel may never end, or may crash the OpenCL
 * runtime and its process. Then another process must still be there to report it. */
#pragma once

#include "options.h"

/* Returns what work(request) returns. If that process crashes, or a kernel runs longer than
 * --timeout, the step's own kernel is tried in a fresh process to see whose fault that is: the
 * kernel's (STATUS_WRONG) or the runtime's (STATUS_SETUP). */
int supervise(struct request *request, int (*work)(struct request *request));

/* Runs work(request) in a process of its own. After 5 s without a result standard error says so; at
 * --timeout the process is ended. Returns its exit status, or the negative number of the signal
 * that ended it: -SIGALRM at --timeout. */
int run_in_child(struct request *request, int (*work)(struct request *request), bool is_silent);
