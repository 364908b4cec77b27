/* What stands where nobody has written yet. */
#ifndef POISON_H
#define POISON_H

#include "plan.h"

/* The value that would win, in the result, in all partial results and behind them, and in local
 * memory. */
void poison(const struct run *run);

/* One value of the caller's instead. */
void fill_arrays(const struct run *run, const any_value *with);
void fill_local(const struct run *run, const any_value *with);

/* After a run. False: why says where somebody wrote, or how many groups are still counted. */
bool canaries_alive(const struct run *run, char why[400]);
bool counter_is_back(const struct run *run, char why[400]);

/* A kernel of data.cl, for this operator and type. */
const struct kernel *data_kernel(struct kernels *kernels, const struct operation *operation,
                                 const char *name);

#endif
