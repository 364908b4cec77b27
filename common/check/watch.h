/* A kernel may never end, or take the OpenCL runtime down, and the process with it: so a second
 * process looks on. */
#pragma once

#include "session.h"

/* Does work(session) in a process of its own and looks on. After 5 s without a value standard error
 * says so; at --timeout the process is ended. Returns its exit status; the negative number of the
 * signal that has ended it, -SIGALRM if that was at --timeout. */
int look_on(int (*work)(void *session), struct session *session, bool silent);

/* The same, and it returns what work() returns. Whose fault an end at --timeout or a crash is, the
 * step's own kernel shows in a fresh process: the learner's (1), or the runtime's (2). */
int watched(struct session *session, int (*work)(void *session));

const char *place_of(const struct trial *trial); // " at n = 1000, groups of 256", or ""
