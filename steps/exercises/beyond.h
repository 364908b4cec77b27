/* An exercise beyond the ladder: another operation, with a right answer in plain C. Its program is
 * a step of its own. Its operation is a sum of the ladder, but for what it sets.
 *
 *   elements --reduce(in, n, out, scratch)--> partials of each group --fold()--> one value
 */
#pragma once

#include "data.clh" // made(): what the elements are, of int, unless ELEMENT is another type
#include "step.h"

static inline element element_of(const struct data *data, uint64_t i)
{
    return made(i, data->n, data->seed, data->planted, data->kind);
}

/* One launch, and the host; each group leaves so many partials. Returns what a plan does. */
static inline bool launch_once(struct run *run, uint64_t groups, uint64_t partials_each)
{
    struct array all = partials(run, groups * partials_each);
    stage(run, run->elements, all, groups, group_size(run, 256));
    finish_on_host(run, all);
    return true;
}

/* One value of many results: 31 is odd, so that each place has another weight. */
static inline uint32_t together(const uint32_t *result, uint64_t count)
{
    uint32_t all = 0;
    for (uint64_t k = count; k-- > 0;)
        all = all * 31 + result[k];
    return all;
}
