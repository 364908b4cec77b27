/* What causes.c and places.c share: the signs that they read in the evidence, and tables of causes.
 *
 *   evidence --read_signs()--> signs --blame_…()--> diagnosis, or CAUSE_UNKNOWN without a sentence
 */
#pragma once

#include "kinds.h"
#include "probe.h"

/* What the families of causes ask of the evidence. */
struct signs {
    const struct evidence *found;
    const struct operation *operation;
    bool shows_values;                // the operation was tried as a sum, which it is not
    struct range first, second, last; // of the ranges that do not count once; zeros: there is none
    uint64_t length;                  // of the first range
    uint64_t times;                   // that its elements count, if several times; otherwise 0
    bool is_lost, is_repeated;        // it counts not at all; it counts several times
    bool is_everything, is_one_end;   // it holds all elements; it is the only one, and at the end
    uint64_t leading; // elements of a period that count, if these are the first ones
    bool repeats_in_group, repeats_by_group; // the period divides a group; it is one group
    bool loses, repeats, changes;            // at least one range
};

struct signs read_signs(const struct evidence *found, const struct operation *operation);

/* A row of a family: the first one that fits names the cause. The last one names none. */
struct cause_row {
    bool fits;
    enum cause cause;
    const char *sentence;
    uint64_t number, other;
};
struct diagnosis choose_row(const struct cause_row *row);
