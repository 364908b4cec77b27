/* What a wrong reduction does with each of its elements, found by trying. */
#ifndef PROBE_H
#define PROBE_H

#include "session.h"

enum { PARTS = 2048, MIXED = -1 };

struct evidence {
    uint64_t n, groups; // where it was looked at: geometry of the first launch
    size_t group, lanes;
    int width;
    bool varies;                     // two runs on the same input differ
    bool writes_input;               //
    bool nothing_wrong;              // as a sum of uint it is right everywhere
    uint32_t zeros;                  // what zeros, and nothing else, sum up to
    uint32_t beyond, stale, scratch; // how many values enter the result from: beyond n; result and partials as
                                     // they were before; local memory as it was before
    uint32_t scratch_full;           // the latter again, where n fills all groups
    bool right_in_powers_of_two;     // in groups of the power of two below
    struct part {                    // elements from … to - 1 count that often, or MIXED: not searched further
        uint64_t from, to;
        int64_t times;
    } part[PARTS];
    int parts;
};

/* False: nothing to be found out, as the variant cannot be planned as a sum of unsigned words. */
bool probe(struct session *session, const struct variant *variant, const struct operation *operation,
           struct geometry wanted, uint64_t n, struct evidence *found);

/* Is the identity all that comes out, if nothing else goes in? If not, *instead is what does. */
bool probe_identity(struct session *session, const struct variant *variant, const struct operation *operation,
                    struct geometry wanted, uint64_t n, any_value *instead);

#endif
