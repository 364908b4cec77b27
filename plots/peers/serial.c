/* serial: the loops of step 01, compiled for the processor of this machine
 *
 * The loops use one thread, and are compiled with -O3 -march=native. C lets the compiler reorder
 * sums of integers, so these sums become vector instructions. C does not let the compiler reorder
 * sums and minima of floats, so these reductions remain one chain of operations.
 */
#include "step.h"

#include <math.h>
#include <string.h>

#define LOOP(name, element, identity, combined)                                                    \
    static void name(const void *elements, uint64_t n, void *value)                                \
    {                                                                                              \
        const element *x = elements;                                                               \
        element all = identity;                                                                    \
        for (uint64_t i = 0; i < n; i++)                                                           \
            all = combined;                                                                        \
        memcpy(value, &all, sizeof all);                                                           \
    }

LOOP(sum_words, uint32_t, 0, all + x[i]) // for int too: unsigned sums wrap around
LOOP(sum_longs, uint64_t, 0, all + x[i])
LOOP(sum_float, float, 0, all + x[i])
LOOP(sum_double, double, 0, all + x[i])
LOOP(min_float, float, INFINITY,
     x[i] < all ? x[i] : all) // false for a NaN, so a NaN is skipped
LOOP(max_float, float, -INFINITY, all < x[i] ? x[i] : all)

static const struct host_loop loops[] = {
    { "sum", "int", sum_words },   { "sum", "uint", sum_words },  { "sum", "float", sum_float },
    { "sum", "long", sum_longs },  { "sum", "ulong", sum_longs }, { "sum", "double", sum_double },
    { "min", "float", min_float }, { "max", "float", max_float }, { NULL, NULL, NULL }
};
static void plan(struct reduction *reduction) { add_host_loop(reduction, loops); }

static const struct variant variants[] = {
    { "serial", NULL, plan, .order = ORDER_IS_KEPT },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 0, "serial", 0, variants };
    return step_main(argc, argv, &step);
}
