/* An exercise beyond the ladder: another operation, with a right answer in plain C.
 *
 *   elements --reduce(in, n, out, scratch)--> partials of each group --fold()--> one value
 *
 * Its program is a step of its own: step_main checks, times, and knows its options.
 */
#pragma once

#include "step.h"

#include "data.clh" // made(): what the elements are, once SUM and INT or the like are defined

struct beyond {
    int number;
    const char *name, *solution;
    uint64_t partials; // values that each group leaves, if not 1
    size_t scratch;    // values for each work-item, if not 1
    uint64_t columns;  // of a matrix, a group for each row; 0: as many groups as step 06 has
    size_t group;      // work-items of each, where none but this will do
    // Its type, options (-D SUM ..., as for data.clh), value_bytes, reference, fold, slip; show
    // where a value is no number of its bytes. beyond_main adds the rest.
    struct operation operation;
};

static inline element element_of(const struct data *data, uint64_t i)
{
    return made(i, data->n, data->seed, data->planted, data->nans, data->uniform);
}

/* One value of many results: 31 is odd, so that each place has another weight. */
static inline uint32_t together(const uint32_t *result, uint64_t count)
{
    uint32_t all = 0;
    for (uint64_t k = count; k-- > 0;)
        all = all * 31 + result[k];
    return all;
}

/* Returns the exit status, as step_main does. */
int beyond_main(int argc, char **argv, const struct beyond *beyond);
