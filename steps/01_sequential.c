/* 01 sequential
 * Idea     A reduction combines all elements into one value. Here one loop adds one element at a
 *          time to one variable, the accumulator.
 * Change   Nothing yet. Every later step must give the same result as these loops.
 * Expect   Each addition waits for the previous one. The compiler vectorises integer sums, because
 *          their order does not matter. With floats the compiler must keep the order.
 * Try      --type int, then --type float; --op min --type float. With --n 2^12 --warm the array
 *          stays in the cache.
 */
#include "step.h"

#include <math.h>
#include <string.h>

static void sum_words(const void *elements, uint64_t n, void *value)
{
    const uint32_t *x = elements;
    uint32_t sum = 0; // also for int: signed overflow is undefined, but unsigned sums wrap around
    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    memcpy(value, &sum, sizeof sum);
}

static void sum_floats(const void *elements, uint64_t n, void *value)
{
    const float *x = elements;
    float sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    memcpy(value, &sum, sizeof sum);
}

static void min_floats(const void *elements, uint64_t n, void *value)
{
    const float *x = elements;
    float min = INFINITY;
    for (uint64_t i = 0; i < n; i++)
        min = x[i] < min ? x[i] : min; // false if x[i] is a NaN, so a NaN is skipped
    memcpy(value, &min, sizeof min);
}

static void hash_words(const void *elements, uint64_t n, void *value)
{
    const uint32_t *x = elements;
    uint32_t scaled_hash[2] = { 1, 0 }; // 31^n and the hash: see kernels/operators/hash.clh
    for (uint64_t i = 0; i < n; i++) {
        scaled_hash[0] *= 31;
        scaled_hash[1] = 31 * scaled_hash[1] + x[i];
    }
    memcpy(value, scaled_hash, sizeof scaled_hash);
}

static void plan(struct reduction *reduction)
{
    static const struct host_loop loops[] = {
        { "sum", "int", sum_words },    { "sum", "uint", sum_words },
        { "hash", "int", hash_words },  { "hash", "uint", hash_words },
        { "sum", "float", sum_floats }, { "min", "float", min_floats },
        { NULL, NULL, NULL },
    };
    add_host_loop(reduction, loops);
}

static const struct variant variants[] = {
    { "host", NULL, plan, .order = ORDER_IS_KEPT,
      .article = "PERI: ComputeSerial; CATZ: sequential C" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 1, "sequential", 1, variants };
    return step_main(argc, argv, &step);
}
