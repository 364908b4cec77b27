/* One operator on one type. The Makefile compiles this file for each in operation_list.h, with the
 * options that the device gets; without any, as an editor would, it is the sum of int. */
#include "operation.h"

#include <stdio.h>

#include "../kernels/data.clh"

#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)
#define IS(trait) (sizeof TEXT(trait) == sizeof "") // is it defined, as nothing?
#define NAME_OF(op, type) operation_##op##_##type
#define NAME(op, type) NAME_OF(op, type)
#if !defined OPTIONS
#define OPTIONS ""
#endif

_Static_assert(sizeof(value) <= VALUE_BYTES, "a value is of 8 bytes at most");

static const union {
    value v;
    any_value any;
} neutral = { .v = IDENTITY }, winner = { .v = POISON };

// From left to right, as the partial results lie, so that it keeps the order.
static void fold(const void *from, uint64_t n, void *to)
{
    const value *values = from;
    value all = *(value *)to;
    for (uint64_t i = 0; i < n; i++)
        all = combine(all, values[i]);
    *(value *)to = all;
}

static void extreme(const struct data *d, void *to)
{
    const uint64_t i = d->planted;
    *(value *)to = lift(made(i, d->n, d->seed, i, d->kind), i);
}

/* The plain loop over made() data, in parts, so that all of the host's cores help where there are
 * many elements. The parts are combined in order: what is associative comes out as from one loop.
 */
static void reference(const struct data *d, void *to)
{
    enum { PARTS = 64 };
    value parts[PARTS];
#if defined _OPENMP // of gcc: see Makefile
#pragma omp parallel for if (d->n >> 24 != 0)
#endif
    for (unsigned p = 0; p < PARTS; p++) {
        value part = neutral.v;
        for (uint64_t i = d->n * p / PARTS; i < d->n * (p + 1) / PARTS; i++)
            part = combine(part, lift(made(i, d->n, d->seed, d->planted, d->kind), i));
        parts[p] = part;
    }
    value all = neutral.v;
    for (unsigned p = 0; p < PARTS; p++)
        all = combine(all, parts[p]);
    memcpy(to, &all, sizeof all);
}

static struct shown show(const void *from)
{
    const value v = *(const value *)from;
    struct shown shown = { .number = (double)SHOWN(v) };
#if defined LONG
    snprintf(shown.text, sizeof shown.text, "%lld", (long long)SHOWN(v));
#elif defined ULONG
    snprintf(shown.text, sizeof shown.text, "%llu", (unsigned long long)SHOWN(v));
#else // a double holds every 32-bit value exactly
    snprintf(shown.text, sizeof shown.text, "%.17g", shown.number);
#endif
    return shown;
}

const struct operation NAME(OPERATOR, ELEMENT) = {
    .op = TEXT(OPERATOR),
    .type = TEXT(ELEMENT),
    .options = OPTIONS,
    .element_bytes = sizeof(element),
    .value_bytes = sizeof(value),
    .floating = IS(FLOATING),
    .commutative = !IS(NOT_COMMUTATIVE),
    .has_index = IS(HAS_INDEX),
    .has_extreme = IS(LEAST_WINS) || IS(GREATEST_WINS),
    .adds = IS(MEETS_BY_ADDING),
#if defined MEETS_BY_RANK
    .has_rank = true,
#endif
#if defined LIFT
    .converts_elements = true,
#endif
#if defined NATIVE_ATOMIC
    .has_atomic = true,
#endif
#if defined REDUCE_OVER
    .has_collective = true,
#endif
    .identity = &neutral.any,
    .poison = &winner.any,
    .fold = fold,
    .extreme = extreme,
    .reference = reference,
    .show = show,
};
