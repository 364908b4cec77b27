/* 01 sequential
 * Idea     One loop, one accumulator, one element after the other: what a reduction is.
 * Change   Nothing yet. These are the loops that all others must agree with.
 * Expect   Each addition waits for the one before. Of integers the compiler makes vectors, as their
 *          order does not matter; with floats it must keep the order.
 * Try      --type float beside --type int; --op min --type float; --n 2^12 --warm: in the cache.
 */
#include "step.h"
#include <math.h>

static void sum_words(const void *elements, uint64_t n, void *value)
{
    uint32_t all = 0; // for int, too: what is unsigned wraps around where it overflows
    for (const uint32_t *x = elements, *end = x + n; x < end; x++)
        all += *x;
    *(uint32_t *)value = all;
}

static void sum_floats(const void *elements, uint64_t n, void *value)
{
    float all = 0;
    for (const float *x = elements, *end = x + n; x < end; x++)
        all += *x;
    *(float *)value = all;
}

static void min_floats(const void *elements, uint64_t n, void *value)
{
    float all = INFINITY;
    for (const float *x = elements, *end = x + n; x < end; x++)
        all = *x < all ? *x : all; // false for a NaN, which is so left out
    *(float *)value = all;
}

static void hash_words(const void *elements, uint64_t n, void *value) // and 31^n, as operator.clh
{
    uint32_t hash = 0, scale = 1;
    for (const uint32_t *x = elements, *end = x + n; x < end; x++)
        hash = 31 * hash + *x, scale *= 31;
    ((uint32_t *)value)[0] = scale, ((uint32_t *)value)[1] = hash;
}

static const struct host_loop loops[] = {
    { "sum", "int", sum_words },    { "sum", "uint", sum_words },   { "sum", "float", sum_floats },
    { "min", "float", min_floats }, { "hash", "uint", hash_words }, { NULL, NULL, NULL }
};
static bool plan(struct run *run) { return on_host(run, loops); }

static const struct variant variants[] = {
    { "host", NULL, plan, .keeps_order = ALWAYS,
      .article = "PERI: ComputeSerial; CATZ: sequential C" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 1, "sequential", 1, variants };
    return step_main(argc, argv, &step);
}
