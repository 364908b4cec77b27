/* What a wrong reduction does with each of its elements, found by trying. */
#pragma once

#include "session.h"

enum { PARTS = 1100 };
enum { MIXED = -2, CHANGED }; // not searched further; an element that comes in as another

struct evidence {
    // where it was looked at: as which operation, n, and the first launch
    const struct operation *operation;
    uint64_t n, groups, group, lanes, width;
    uint64_t tile, block; // elements of one load of all lanes; of one work-item, in a row
    bool one_each;        // so many groups as one element for each work-item makes, or one less
    bool finishes;        // in the same launch: its last group reads what the others have left

    bool wrong;       // as a sum of words, or of identities alone
    bool varies;      // two runs on the same input differ
    bool no_identity; // identities, and nothing else, make something else: `nothing`
    any_value nothing;
    bool no_sum; // the sums of both halves do not make that of all
    // How many values come into the result from beyond n; from result and partial results as they
    // were; from local memory.
    uint32_t beyond, stale, scratch;
    bool right_in_powers_of_two; // in groups of the power of two below

    struct part { // elements from ... to - 1 count that often, not once
        uint64_t from, to;
        int times; // or one of these
    } part[PARTS];
    int parts;
    uint64_t period;  // after so many elements that repeats; 0: it does not
    uint64_t counted; // so many of a period count
};

/* False: nothing to be found out: it is right with identities, and no sum of words can be planned.
 */
bool probe(struct session *session, const struct trial *trial, struct evidence *found);
