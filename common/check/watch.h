/* A kernel may never end, or take the OpenCL runtime down, and the process with it: so a second
 * process looks on. */
#ifndef WATCH_H
#define WATCH_H

#include "options.h"
#include "task.h"
#include <signal.h>

/* Does work(about) in a process of its own, and returns what that returns. After 5 s without a
 * value standard error says so; at --timeout the process is ended. Whose fault that or a crash is,
 * the step's own kernel shows in a fresh process: the learner's (1), or the runtime's (2). */
int watched(const struct options *options, int (*work)(void *about), void *about);

/* Its parts: does it and looks on, and returns how it ended, as waitpid() has it; by signal
 * TOO_LONG if at --timeout. */
enum { TOO_LONG = SIGALRM };
int look_on(const struct options *options, int (*work)(void *about), void *about);

/* Puts a command, these words (NULL ends them) and then a task's, in the place of this process. */
_Noreturn void become(const char *const *words, const struct task *task, int output);

const char *place_of(const struct task *task); // " at n = 1000, groups of 256", or ""

#endif
