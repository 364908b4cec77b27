/* What this process is at, for the one that watches it: the options that would start it so again.
 */
#ifndef TASK_H
#define TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task { // "--n\0001000\0--op\0sum\0": words, as a process has them
    char words[8192];
    size_t length;
};
void task_word(struct task *task, const char *word);
void task_option(struct task *task, const char *name, const char *value); // nothing if it is NULL
void task_number(struct task *task, const char *name, uint64_t value);    // nothing if it is 0
const char *task_value(const struct task *task, const char *name);        // NULL: not there

struct at_work {
    struct task task;
    _Atomic double since; // by now(): so long it waits for a value; 0: it does not
    bool on_purpose;      // it ends by its own will, not by the runtime's exit()
};
extern struct at_work *at_work; // where there are two processes, in memory of both

void task_begin(void); // now it is launched …
void task_end(void);   // … and now its value is there

#endif
