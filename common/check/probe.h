/* What a wrong reduction does with each of its elements, found by trying. */
#ifndef PROBE_H
#define PROBE_H

#include "session.h"

enum { PARTS = 1100, MIXED = -1 };

struct evidence {
    uint64_t n, groups; // where it was looked at: geometry of the first launch
    size_t group, lanes;
    int width, launches;
    bool finishes;      // in the same launch: its last group reads what the others have left
    bool nothing_wrong; // as a sum of words it is right everywhere
    bool varies;        // two runs on the same input differ
    bool writes_input;
    uint32_t zeros; // what zeros, and nothing else, sum up to
    // How many values come into the result from beyond n; from result and partial results as they
    // were; from local memory.
    uint32_t beyond, stale, scratch;
    bool right_when_full;        // where n fills all groups
    bool right_in_powers_of_two; // in groups of the power of two below
    struct part {                // elements from ... to - 1 count that often
        uint64_t from, to;
        int64_t times; // MIXED: it was not searched further
    } part[PARTS];
    int parts;
};

/* False: nothing to be found out, as the variant cannot be planned as a sum of unsigned words. */
bool probe(struct session *session, const struct trial *trial, struct evidence *found);

/* With the operator itself: is the identity all that comes out, if nothing else goes in? If not,
 * *instead is what does. */
bool probe_identity(struct session *session, const struct trial *trial, any_value *instead);

#endif
