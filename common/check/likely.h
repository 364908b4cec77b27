/* From how often each element counts to what may be the cause. */
#ifndef LIKELY_H
#define LIKELY_H

#include "probe.h"

enum { KNOWN = 8192 }; // elements whose pattern is looked at

/* How often each of the first elements counts, and after how many the pattern repeats; 0: it does
 * not. */
struct pattern {
    int64_t times[KNOWN];
    uint64_t known, period;
    uint64_t
        first; // so many at the beginning of each period count, and none of the others; 0: not so
};

/* Does the launch have as many groups as one element for each work-item makes, or one less? */
bool one_each(const struct evidence *found);

/* The reason that most often has such an effect: an experienced guess, not a proof. */
const char *likely(const struct evidence *found, const struct pattern *pattern);

#endif
