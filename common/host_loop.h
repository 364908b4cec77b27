/* Included at the end of step.h where HOST_LOOP names a kernel text that is valid C too (loads and a loop, no
 * work-items): makes host_loops[], that text as a host function for each operator and type.
 */
#if !defined PREFIX
#define kernel static
#define global
#define PREFIX host
#define INSTANTIATE "host_loop.h"
#include "each_operator.h"
#undef kernel
#undef global

#define ROW(op, type) { #op, #type, host_run_##op##_##type },
static const struct host_loop host_loops[] = { EACH_OPERATOR(ROW) { NULL, NULL, NULL } };
#undef ROW

#else /* for one of them */
#include HOST_LOOP

static void NAME(run)(const void *elements, uint64_t n, void *to) { reduce(elements, n, to); }
#endif
