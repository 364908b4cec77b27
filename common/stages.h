/* Stages that many plans have in common, and what a plan says of its stages before they run: beside
 * it stands what was measured, or counted. */
#pragma once

#include "plan.h"

/* Once group_size() has been asked. */
unsigned sub_group_barriers(const struct run *run);          // of sub_group_combine
unsigned tree_barriers(const struct run *run, size_t group); // of work_group_combine, or a tree
/* So many accumulators in each work-item, and barriers in each group. */
void predict_tree(struct stage *stage, unsigned accumulators, unsigned barriers);

/* Every group leaves one value, and one more group combines those. Returns true. */
bool two_launches(struct run *run, uint64_t groups, size_t group, unsigned accumulators);

/* The group that arrives last combines them, in the same launch: see kernels/last_group.clh.
 * Returns true. */
bool one_launch(struct run *run, uint64_t groups, size_t group, unsigned accumulators);

void fill(struct run *run, struct array accumulators);     // with the identity, for atomics
void finish_on_host(struct run *run, struct array values); // in order, inside the wall time

struct host_loop { // for one operator and type; a table of them ends with a NULL
    const char *op, *type;
    void (*reduce)(const void *elements, uint64_t n, void *value);
};

/* No launch: a loop over the elements as they lie in memory. False: unsupported, the table has none
 * for this operator and type. */
bool on_host(struct run *run, const struct host_loop *loops);
