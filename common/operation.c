/* One operator on one type. The Makefile compiles this file for each in operation_list.h, with the
 * options that the device gets; without any, as an editor would, it is the sum of int.
 */
#include "operation.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

typedef uint32_t uint; // OpenCL C's names, for the two texts that are C as well
typedef uint64_t ulong;

#define as_uint(x)                                                                                 \
    (((union {                                                                                     \
         float f;                                                                                  \
         uint bits;                                                                                \
     }) { x })                                                                                     \
         .bits)

#include "../kernels/operator.clh"

#include "../kernels/data.cl"

#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)
#define NAME_OF(op, type) operation_##op##_##type
#define NAME(op, type) NAME_OF(op, type)
#if !defined OPTIONS
#define OPTIONS ""
#endif

/* What the reference accumulates in: a sum of floats in double, since its rounding is measured. */
#if defined MEETS_BY_ADDING && defined FLOAT
#define ROUNDS
typedef double exact;
#else
typedef value exact;
#endif

static void set_identity(void *to) { *(value *)to = identity(); }

static void set_poison(void *to) { *(value *)to = poison(); }

// From left to right, as the partial results lie, so that it keeps the order.
static void fold(const void *from, uint64_t n, void *to)
{
    const value *values = from;
    value all = *(value *)to;
    for (uint64_t i = 0; i < n; i++)
        all = combine(all, values[i]);
    *(value *)to = all;
}

// The extreme beats whatever element it replaces, so that one need not be taken out.
static void plant(void *to, uint64_t i)
{
#if defined PLANTED
    *(value *)to = combine(*(value *)to, lift((element)PLANTED, i));
#else
    (void)to, (void)i;
#endif
}

static exact both(exact left, exact right)
{
    exact all = COMBINE(left, right);
    return all;
}

/* The plain loop over made() data, in parts, so that all of the host's cores help where there are
 * many elements. The parts are combined in order: what is associative comes out as from one loop.
 */
static double reference(const struct data *d, void *to)
{
    enum { PARTS = 64 };
    exact parts[PARTS], all = IDENTITY;
#if defined _OPENMP // of gcc: see Makefile
#pragma omp parallel for if (d->n >> 24 != 0)
#endif
    for (unsigned p = 0; p < PARTS; p++) {
        exact part = IDENTITY;
        for (uint64_t i = d->n * p / PARTS; i < d->n * (p + 1) / PARTS; i++)
            part = both(part, lift(made(i, d->n, d->seed, d->planted, d->nans, d->uniform), i));
        parts[p] = part;
    }
    for (unsigned p = 0; p < PARTS; p++)
        all = both(all, parts[p]);
#if defined ROUNDS
    *(value *)to = (value)all;
    return all; // a result's error is measured from here: rounding this one is none of the step's
#else
    *(value *)to = all;
    return NAN; // nobody asks: it is equal or wrong
#endif
}

// Through element, so that a sum of int that wrapped around in uint reads as the int it is.
#if !defined SHOWN
#define SHOWN(v) ((element)(v))
#endif
static double number(const void *from) { return (double)SHOWN(*(const value *)from); }

static void print(const void *from, char *text, size_t size)
{
#if defined LONG
    snprintf(text, size, "%lld", (long long)*(const value *)from);
#elif defined ULONG
    snprintf(text, size, "%llu", (unsigned long long)*(const value *)from);
#else
    snprintf(text, size, "%.17g", number(from)); // a double holds every 32-bit value exactly
#endif
}

const struct operation NAME(OPERATOR, ELEMENT) = {
    .op = TEXT(OPERATOR),
    .type = TEXT(ELEMENT),
    .options = OPTIONS,
    .element_bytes = sizeof(element),
    .value_bytes = sizeof(value),
#if defined FLOATING
    .floating = true,
#endif
#if !defined NOT_COMMUTATIVE
    .commutative = true,
#endif
#if defined HAS_INDEX
    .has_index = true,
#endif
#if defined PLANTED
    .has_extreme = true,
#endif
#if defined GREATEST_WINS
    .greatest_wins = true,
#endif
#if defined REDUCE_OVER
    .has_collective = true,
#endif
#if defined ROUNDS
    .rounds = true,
#endif
#if defined NATIVE_ATOMIC
    .native_atomic = TEXT(NATIVE_ATOMIC(, )),
#endif
#if defined MEETS_BY_ADDING
    .meets = BY_ADDING,
#elif defined MEETS_BY_RANK
    .meets = BY_RANK,
#endif
    .set_identity = set_identity,
    .set_poison = set_poison,
    .fold = fold,
    .plant = plant,
    .reference = reference,
    .number = number,
    .print = print,
};
