/* openmp: a reduction on the CPU without OpenCL, as a peer of the steps
 *
 *   thread 0    0 1 2 3 4           Each thread reads one contiguous block, and the vector lanes
 *   thread 1              5 6 7 8   of a thread read neighbouring elements. Then lanes and threads
 *                                   are combined.
 *
 * This is the loop of step 01 with one line of OpenMP above it. The compiler turns the loop into
 * threads and vectors. The harness provides data, cold cache, read limit, verification and data
 * file, so the rows of openmp can be compared with the rows of a step. The peer has the number 0,
 * because it is not a step of the ladder. Set OMP_WAIT_POLICY=passive, because otherwise the
 * threads spin after the loop, and slow down the next OpenCL kernels.
 */
#include "step.h"

#include <math.h>
#include <string.h>

#define PRAGMA(text) _Pragma(#text)
#define LOOP(name, element, clause, identity, combined)                                            \
    static void name(const void *elements, uint64_t n, void *value)                                \
    {                                                                                              \
        const element *x = elements;                                                               \
        element all = identity;                                                                    \
        PRAGMA(omp parallel for simd schedule(static) reduction(clause : all))                     \
        for (uint64_t i = 0; i < n; i++)                                                           \
            all = combined;                                                                        \
        memcpy(value, &all, sizeof all);                                                           \
    }

LOOP(sum_words, uint32_t, +, 0, all + x[i]) // for int too: unsigned sums wrap around
LOOP(sum_longs, uint64_t, +, 0, all + x[i])
LOOP(sum_float, float, +, 0, all + x[i])
LOOP(sum_double, double, +, 0, all + x[i])

// Comparisons with a NaN are false, so a NaN is skipped.
#define EXTREMES(type, element, lowest, highest)                                                   \
    LOOP(min_##type, element, min, highest, x[i] < all ? x[i] : all)                               \
    LOOP(max_##type, element, max, lowest, all < x[i] ? x[i] : all)
EXTREMES(int, int32_t, INT32_MIN, INT32_MAX)
EXTREMES(uint, uint32_t, 0, UINT32_MAX)
EXTREMES(float, float, -INFINITY, INFINITY)
EXTREMES(long, int64_t, INT64_MIN, INT64_MAX)
EXTREMES(ulong, uint64_t, 0, UINT64_MAX)
EXTREMES(double, double, -INFINITY, INFINITY)

static const struct host_loop loops[] = {
    { "sum", "int", sum_words },  { "sum", "uint", sum_words },  { "sum", "float", sum_float },
    { "sum", "long", sum_longs }, { "sum", "ulong", sum_longs }, { "sum", "double", sum_double },
    { "min", "int", min_int },    { "min", "uint", min_uint },   { "min", "float", min_float },
    { "min", "long", min_long },  { "min", "ulong", min_ulong }, { "min", "double", min_double },
    { "max", "int", max_int },    { "max", "uint", max_uint },   { "max", "float", max_float },
    { "max", "long", max_long },  { "max", "ulong", max_ulong }, { "max", "double", max_double },
    { NULL, NULL, NULL }
};
static void plan(struct reduction *reduction) { add_host_loop(reduction, loops); }

static const struct variant variants[] = {
    { "simd", NULL, plan },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 0, "openmp", 0, variants };
    return step_main(argc, argv, &step);
}
