/* A kernel may never end, or take the OpenCL runtime down, and the process with it: so a second
 * process looks on. */
#pragma once

#include "session.h"
#include <signal.h>
#include <stdio.h>

/* Does work(session) in a process of its own, and returns what that returns. After 5 s without a
 * value standard error says so; at --timeout the process is ended. Whose fault that or a crash is,
 * the step's own kernel shows in a fresh process: the learner's (1), or the runtime's (2). */
int watched(struct session *session, int (*work)(void *session));

/* A part of that: does it and looks on, and returns how it ended, as waitpid() has it; by signal
 * TOO_LONG if at --timeout. What it prints goes into `said`, if not NULL. */
enum { TOO_LONG = SIGALRM };
int look_on(const struct options *options, int (*work)(void *about), void *about, FILE *said);

const char *place_of(const struct trial *trial); // " at n = 1000, groups of 256", or ""
