/* Included by each_operator.h: struct operation for one operator and type, and the functions that
 * it points to. */
#include "../kernels/data.cl"

// The type in which this operator keeps its results on the device.
typedef value NAME(result);
static void NAME(set_identity)(void *to) { *(value *)to = identity(); }
static void NAME(set_poison)(void *to) { *(value *)to = poison(); }

// The host finish: from left to right, as the partial results lie, so that it keeps the order.
static void NAME(fold)(const void *from, uint64_t n, void *to)
{
    const value *values = from;
    value all = *(value *)to;
    for (uint64_t i = 0; i < n; i++)
        all = combine(all, values[i]);
    *(value *)to = all;
}

// The extreme beats whatever element it replaces, so that one need not be taken out.
static void NAME(plant)(void *to, uint64_t i)
{
#if defined PLANTED
    *(value *)to = combine(*(value *)to, lift((element)PLANTED, i));
#else
    (void)to, (void)i;
#endif
}

// For messages: through element, so that a sum of int that wrapped around in uint reads as the int
// it is.
static double NAME(number)(const void *from)
{
    const value *v = from;
#if defined HASH
    return v->hash;
#elif defined ARGMIN || defined ARGMAX
    return (uint)*v; // the index
#else
    return (double)(element)*v;
#endif
}

static void NAME(print)(const void *from, char *text, size_t size)
{
#if defined LONG
    snprintf(text, size, "%lld", (long long)*(const value *)from);
#elif defined ULONG
    snprintf(text, size, "%llu", (unsigned long long)*(const value *)from);
#else
    snprintf(text, size, "%.17g", NAME(number)(from)); // a double holds every 32-bit value exactly
#endif
}

// What the rest of the harness sees of all this.
static const struct operation NAME(row) = {
    .op = TEXT(OPERATOR),
    .type = TEXT(TYPE),
    .options = OPERATOR_OPTION TYPE_OPTION,
#if defined PLANTED
    .has_extreme = true,
#endif
#if !defined HASH
    .commutative = true,
#endif
#if defined ARGMIN || defined ARGMAX
    .has_index = true,
#endif
#if defined FLOATING
    .floating = true,
#endif
    .element_bytes = sizeof(element),
    .value_bytes = sizeof(value),
    .set_identity = NAME(set_identity),
    .set_poison = NAME(set_poison),
    .plant = NAME(plant),
    .fold = NAME(fold),
    .number = NAME(number),
    .print = NAME(print),
    .reference = NAME_FOR(reference, loop, OPERATOR, TYPE),
};
