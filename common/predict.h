/* What a plan says of its stages before they run: beside it stands what was measured, or counted.
 * Of sub-groups once group_size() has been asked. */
#ifndef PREDICT_H
#define PREDICT_H

#include "plan.h"

unsigned sub_group_barriers(const struct run *run);          // of sub_group_combine
unsigned tree_barriers(const struct run *run, size_t group); // of work_group_combine, or a tree
void predict_tree(struct stage *stage, unsigned width, unsigned barriers);     // width accumulators
void predict_single_pass(struct run *run, struct stage *only, unsigned width); // and its atomics

#endif
