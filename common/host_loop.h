/* Included at the end of step.h where HOST_LOOP names a kernel text that is valid C too (loads and
 * a loop, no work-items): makes host_loops[], that text as a host function for each operator and
 * type. A text that can do sum, min and max only says so: #define HOST_LOOP_IS_PLAIN.
 */
#if !defined PREFIX
#define kernel static
#define global
#define PREFIX host
#define INSTANTIATE "host_loop.h"
#include "each_operator.h"
#undef kernel
#undef global

#if defined HOST_LOOP_IS_PLAIN
#define EACH_LOOP EACH_PLAIN
#else
#define EACH_LOOP EACH_OPERATOR
#endif
#define ROW(op, type) { #op, #type, host_run_##op##_##type, NULL, NULL },
static const struct outside host_loops[] = { EACH_LOOP(ROW) { NULL, NULL, NULL, NULL, NULL } };
#undef ROW

#elif !defined HOST_LOOP_IS_PLAIN || defined SUM || defined MIN || defined MAX /* for one of them  \
                                                                                */
#include HOST_LOOP

static void NAME(run)(const void *elements, uint64_t n, void *to) { reduce(elements, n, to); }
#endif
