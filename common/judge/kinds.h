/* The kinds of cause that the judge can name. A program or a test that has to know the cause asks
 * for its kind, never for the words of a message. oclgrind.py has kinds of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CAUSE(name) CAUSE_##name,
enum cause {
#include "kind_list.h"
};
#undef CAUSE

/* If the environment has REDUCE_CAUSE, prints the kind after `mark`: "# cause: barrier_missing". */
void print_kind(enum cause cause, const char *mark);

/* A cause with the sentence that names it. */
struct diagnosis {
    enum cause cause;
    const char *sentence; // each "%zu" in it stands for one of the two numbers
    uint64_t number, other;
};
