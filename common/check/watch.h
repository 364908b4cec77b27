/* A kernel may never end, or take the OpenCL runtime down, and the process with it: so a second
 * process looks on. */
#ifndef WATCH_H
#define WATCH_H

#include "options.h"
#include "task.h"
#include <stdio.h>

/* Does work(about) in a process of its own, and returns what that returns. After 5 s without a
 * value standard error says so; at --timeout the process is ended. Whose fault that or a crash is,
 * the step's own kernel shows in a fresh process: the learner's (1), or the runtime's (2). */
int watched(const struct options *options, int (*work)(void *about), void *about);

/* Runs a command and returns its wait status; NO_PROGRAM: there is none of that name. task: what it
 * is at from its start on, with the same words and limit, or NULL: it looks after itself.
 * *too_long: it was ended at the limit. */
enum { NO_PROGRAM = 127 };
int watch_program(const struct task *command, FILE *out, FILE *err, const struct options *options,
                  const struct task *task, bool *too_long);

#endif
