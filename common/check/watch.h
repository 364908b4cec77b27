/* A kernel may never end, or take the OpenCL runtime down, and the process with it: so a second
 * process looks on. */
#pragma once

#include "session.h"

/* Does work(session) in a process of its own, and returns what that returns. After 5 s without a
 * value standard error says so; at --timeout the process is ended. Whose fault that or a crash is,
 * the step's own kernel shows in a fresh process: the learner's (1), or the runtime's (2). */
int watched(struct session *session, int (*work)(void *session));
