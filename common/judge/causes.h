/* From how often each element counts to what may be the cause. */
#pragma once

#include "probe.h"

/* Of a table of texts the first is printed whose condition holds. */
struct phrase {
    bool so;
    const char *text; // with a number in it, or two
    uint64_t number, other;
};
const char *print_first(const struct phrase *phrase);

/* The reason that most often has such an effect: an experienced guess, not a proof. */
void print_likely_cause(const struct evidence *found, const struct operation *operation,
                        const char *mark);
