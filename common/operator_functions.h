/* Included by each_operator.h: struct operator for one operator and type, and the functions that it points to. */
#include "../kernels/data.cl"

// The type in which this operator keeps its results on the device.
typedef value NAME(result);
static void NAME(set_identity)(void *to)
{
    *(value *)to = identity();
}
static void NAME(set_poison)(void *to)
{
    *(value *)to = (value)POISON;
}
// For messages: through element, so that a sum of int that wrapped around in uint reads as the int it is.
static double NAME(number)(const void *from)
{
    return (double)(element)(*(const value *)from);
}

// The host finish: from left to right, as the partial results lie, so that it keeps the order.
static void NAME(fold)(const void *from, uint64_t n, void *to)
{
    const value *values = from;
    value all = *(value *)to;
    for (uint64_t i = 0; i < n; i++)
        all = combine(all, values[i]);
    *(value *)to = all;
}

// What the rest of the harness sees of all this.
static const struct operation NAME(row) = {
    .op = TEXT(OPERATOR),
    .type = TEXT(TYPE),
    .options = OPERATOR_OPTION TYPE_OPTION,
    .has_extreme = PLANTED != 0,
    .commutative = true,
    .element_bytes = sizeof(element),
    .value_bytes = sizeof(value),
    .set_identity = NAME(set_identity),
    .set_poison = NAME(set_poison),
    .fold = NAME(fold),
    .number = NAME(number),
    .reference = NAME_FOR(reference, loop, OPERATOR, TYPE),
};
