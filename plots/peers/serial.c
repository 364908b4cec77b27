/* serial: the loops of step 01 once more, as the compiler makes them for this very machine
 *
 * One thread, -O3 -march=native and no promise about the order: sums of integers become vector
 * instructions, those of floats and their minimum do not, because a float's order counts. That is
 * what C promises, and no oversight.
 */
#include "step.h"
#include <math.h>

#define LOOP(name, element, identity, combined)                                                    \
    static void name(const void *elements, uint64_t n, void *value)                                \
    {                                                                                              \
        const element *x = elements;                                                               \
        element all = identity;                                                                    \
        for (uint64_t i = 0; i < n; i++)                                                           \
            all = combined;                                                                        \
        *(element *)value = all;                                                                   \
    }

LOOP(sum_words, uint32_t, 0, all + x[i]) // of int, too: unsigned sums wrap around
LOOP(sum_longs, uint64_t, 0, all + x[i])
LOOP(sum_float, float, 0, all + x[i])
LOOP(sum_double, double, 0, all + x[i])
LOOP(min_float, float, INFINITY, x[i] < all ? x[i] : all) // a NaN is not less: it is left out
LOOP(max_float, float, -INFINITY, all < x[i] ? x[i] : all)

static const struct host_loop loops[] = {
    { "sum", "int", sum_words },   { "sum", "uint", sum_words },  { "sum", "float", sum_float },
    { "sum", "long", sum_longs },  { "sum", "ulong", sum_longs }, { "sum", "double", sum_double },
    { "min", "float", min_float }, { "max", "float", max_float }, { NULL, NULL, NULL }
};
static bool plan(struct run *run) { return on_host(run, loops); }

static const struct variant variants[] = {
    { "serial", NULL, plan, .keeps_order = ALWAYS },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 0, "serial", 0, variants };
    return step_main(argc, argv, &step);
}
