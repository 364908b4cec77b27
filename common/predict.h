/* What a plan says of its stages before they run: beside it stands what was measured, or counted;
 * and launches that many plans have in common, with what is predicted of them. */
#ifndef PREDICT_H
#define PREDICT_H

#include "plan.h"

/* Once group_size() has been asked. */
unsigned sub_group_barriers(const struct run *run);          // of sub_group_combine
unsigned tree_barriers(const struct run *run, size_t group); // of work_group_combine, or a tree
void predict_tree(struct stage *stage, unsigned accumulators, unsigned barriers); // of a work-item

/* Every group leaves one value, and one more group combines those. Both return true. */
bool two_launches(struct run *run, uint64_t groups, size_t group, unsigned accumulators);

/* The group that arrives last combines them, in the same launch: see kernels/last_group.clh. */
bool single_pass(struct run *run, uint64_t groups, size_t group, unsigned accumulators);

#endif
