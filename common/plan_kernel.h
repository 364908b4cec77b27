/* The kernel of a plan: with which options it is built, and in what groups it can run. */
#ifndef PLAN_KERNEL_H
#define PLAN_KERNEL_H

#include "plan.h"

bool needs(const struct run *run, enum needs need); // the variant

/* The kernel for elements, or for partial results: one text, built twice where load() differs. That
 * of a sum or an extreme does not: its partial results are elements like any, and none is a NaN. */
const struct kernel *kernel_for(struct run *run, bool partials);

/* Of one work-item, in local memory. The kernel says itself whether it wants that. */
size_t scratch_bytes(const struct run *run, const struct kernel *kernel);

/* The largest group that this kernel can run in here. */
size_t group_limit(const struct run *run, const struct kernel *kernel);

static inline size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

#endif
