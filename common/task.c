/* The words stand one behind the other, so that a task is copied, handed on and read as one piece.
 */
#include "task.h"

#include "clock.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct at_work alone; // in a process that nobody watches
struct at_work *at_work = &alone;

void task_begin(void) { at_work->since = now(); }

void task_end(void) { at_work->since = 0; }

void task_word(struct task *task, const char *word)
{
    const size_t room = sizeof task->words - task->length, bytes = strlen(word) + 1;
    if (bytes > room)
        return;
    memcpy(task->words + task->length, word, bytes);
    task->length += bytes;
}

void task_option(struct task *task, const char *name, const char *value)
{
    if (!value)
        return;
    task_word(task, name);
    task_word(task, value);
}

void task_number(struct task *task, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    task_option(task, name, value ? text : NULL);
}

const char *task_value(const struct task *task, const char *name)
{
    for (size_t at = 0; at < task->length; at += strlen(task->words + at) + 1)
        if (strcmp(task->words + at, name) == 0)
            return task->words + at + strlen(name) + 1;
    return NULL;
}
