/* For exercises that reduce by an operation of their own. The host computes the right result in
 * plain C, and a wrong result is explained by the exercise's own explain_value(). Each main.c is a
 * step: its operation is a copy of one of the ladder, in which main() sets what differs.
 *
 *   elements --reduce(in, n, out, scratch)--> partial results of each group --fold()--> one value
 */
#pragma once

#include "data.clh" // made(): element i; of int, unless ELEMENT is another type
#include "step.h"

static inline element element_of(const struct data *data, uint64_t i)
{
    return made(i, data->n, data->seed, data->planted, data->kind);
}

/* One launch; each group writes `values_each` values, and the host folds them. */
static inline void launch_once(struct reduction *reduction, uint64_t groups, uint64_t values_each)
{
    struct array partials = add_array(reduction, groups * values_each);
    add_stage(reduction, reduction->elements, partials, groups, choose_group_size(reduction, 256));
    add_host_finish(reduction, partials);
}

/* One value that stands for many results. Each result has a weight of its own, because 31 is odd.
 */
static inline uint32_t hash_results(const uint32_t *result, uint64_t count)
{
    uint32_t hash = 0;
    for (uint64_t k = count; k-- > 0;)
        hash = hash * 31 + result[k];
    return hash;
}
