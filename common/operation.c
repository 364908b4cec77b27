/* One operator on one type, for the host. The Makefile compiles this file once for each line of
 * operation_list.h, with the options that the device gets: -D OPERATOR=min -D ELEMENT=float.
 * Without options, as an editor compiles it, this is the sum of int. */
#include "operation.h"

#include <stdio.h>

#include "../kernels/data.clh"

#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)
#define NAME_OF(op, type) operation_##op##_##type
#define NAME(op, type) NAME_OF(op, type)
#if !defined OPTIONS
#define OPTIONS ""
#endif

_Static_assert(sizeof(value) <= VALUE_BYTES, "a value must have at most 8 bytes");

static const union {
    value v;
    any_value any;
} neutral = { .v = IDENTITY }, poison = { .v = POISON };

/* An integer sum's poison is odd, a float's is NaN, and a key's begins with 32 bits that are 0. */
#if defined HAS_INDEX
static const any_value free_bits = { .words = { 0xffffffff } };
#elif defined HAS_EXTREME && defined FLOATING // only one value would win
static const any_value free_bits = { .words = { 0 } };
#elif defined HAS_EXTREME                     // only two values would win
static const any_value free_bits = { .words = { 1 } };
#elif defined FLOATING && defined WIDE_ELEMENT
static const any_value free_bits = { .words = { 0xffffffff, 0x8007ffff } };
#elif defined FLOATING
static const any_value free_bits = { .words = { 0x803fffff } };
#else
static const any_value free_bits = { .words = { 0xfffffffe, 0xfffffffe } };
#endif

/* From left to right, so the order is kept. */
static void fold(const void *from, uint64_t n, void *to)
{
    const value *values = from;
    value all;
    memcpy(&all, to, sizeof all);
    for (uint64_t i = 0; i < n; i++)
        all = combine(all, values[i]);
    memcpy(to, &all, sizeof all);
}

static void extreme(const struct data *d, void *to)
{
    const uint64_t i = d->planted;
    const value planted = value_of(made(i, d->n, d->seed, i, d->kind), i);
    memcpy(to, &planted, sizeof planted);
}

/* The loop over made() data. It is divided into slices, so that all cores of the host share many
 * elements. The slices are combined in order, so an associative operator gives the same result. */
static void reference(const struct data *d, void *to)
{
    enum { SLICES = 64 };
    const uint64_t count = d->n - d->before - d->after;
    value slices[SLICES];
#if defined _OPENMP // of gcc: see Makefile
#pragma omp parallel for if (count >> 24 != 0)
#endif
    for (unsigned p = 0; p < SLICES; p++) {
        value slice = neutral.v;
        const uint64_t end = d->before + count * (p + 1) / SLICES;
        for (uint64_t i = d->before + count * p / SLICES; i < end; i++)
            slice = combine(slice, value_of(made(i, d->n, d->seed, d->planted, d->kind), i));
        slices[p] = slice;
    }
    value all = neutral.v;
    for (unsigned p = 0; p < SLICES; p++)
        all = combine(all, slices[p]);
    memcpy(to, &all, sizeof all);
}

static struct shown show(const void *from)
{
    value v;
    memcpy(&v, from, sizeof v);
    struct shown shown = { .number = (double)SHOWN(v) };
#if defined WIDE_ELEMENT && !defined FLOATING
    if (LOWEST == 0)
        snprintf(shown.text, sizeof shown.text, "%llu", (unsigned long long)SHOWN(v));
    else
        snprintf(shown.text, sizeof shown.text, "%lld", (long long)SHOWN(v));
#else // a double holds every other value exactly
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
#if defined FLOATING
    .is_floating = true,
#endif
#if !defined NOT_COMMUTATIVE
    .is_commutative = true,
#endif
#if defined HAS_INDEX
    .has_index = true,
#endif
#if defined HAS_EXTREME
    .has_extreme = true,
#endif
#if defined CONVERTS_ELEMENTS
    .converts_elements = true,
#endif
#if defined ADDS
    .adds = true,
#endif
#if defined AS_GREATEST
    .has_order_word = true,
#endif
#if defined NATIVE_ATOMIC
    .has_atomic = true,
#endif
#if defined REDUCE_OVER
    .has_collective = true,
#endif
    .identity = &neutral.any,
    .poison = &poison.any,
    .free_bits = &free_bits,
    .fold = fold,
    .extreme = extreme,
    .reference = reference,
    .show = show,
};
