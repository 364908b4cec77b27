/* The laws of one operation, and hand-computed cases. Compiled for each operation, as
 * common/operation.c is, and linked with tests/kernels/units.c. Beside the options of the library,
 * this file needs two words in capitals, such as -D MIN -D FLOAT, because the preprocessor selects
 * the hand-computed cases by them. Without any option the operation is the sum of int.
 */
#include "units.h"

#include "../../kernels/data.clh"

#define NAME_OF(prefix, op, type) prefix##_##op##_##type
#define NAME(prefix, op, type) NAME_OF(prefix, op, type)
#define NEAR(a, b)                                                                                 \
    ((a) == (b) || (isnan(a) && isnan(b))) // NaN equals NaN here: both may be infinity - infinity

static bool are_equal(value a, value b)
{
#if defined HASH
    return a.scale == b.scale && a.hash == b.hash;
#elif defined FLOATING && !defined HAS_INDEX
    return NEAR(a, b);
#else
    return a == b;
#endif
}

/* The identity is neutral on both sides. combine() is associative, and commutative unless the
 * operator is hash. */
static void test_laws(const struct operation *operation)
{
    const element elements[] = { (element)LOWEST, (element)HIGHEST, 0, 1, 2, 77 };
    enum { COUNT = sizeof elements / sizeof *elements + 1 };
    value values_tried[COUNT];
    int violations = 0, differing_swaps = 0;

    values_tried[0] = identity();
    for (int a = 1; a < COUNT; a++)
        values_tried[a] = value_of(elements[a - 1], (ulong)a);
    for (int a = 0; a < COUNT; a++) {
        violations += !are_equal(combine(identity(), values_tried[a]), values_tried[a]) ||
                      !are_equal(combine(values_tried[a], identity()), values_tried[a]);
        for (int b = 0; b < COUNT; b++) {
            differing_swaps += !are_equal(combine(values_tried[a], values_tried[b]),
                                          combine(values_tried[b], values_tried[a]));
            for (int c = 0; c < COUNT; c++)
                violations +=
                    !are_equal(combine(combine(values_tried[a], values_tried[b]), values_tried[c]),
                               combine(values_tried[a], combine(values_tried[b], values_tried[c])));
        }
    }
    ok(violations == 0 && operation->is_commutative == (differing_swaps == 0),
       "the laws of %s of %s: neutral, associative, %s", operation->op, operation->type,
       operation->is_commutative ? "commutative" : "not commutative");
}

static void test_identity(void)
{
#if defined ARGMIN || defined ARGMAX
    ok(identity() == UINT64_MAX, "the identity is the greatest key");
#elif defined HASH
    ok(identity().scale == 1 && identity().hash == 0, "the identity is the hash of no elements");
#elif defined MIN && defined FLOATING
    ok(identity() == INFINITY, "the identity of min is infinity for floats");
#elif defined MAX && defined FLOATING
    ok(identity() == -INFINITY, "the identity of max is -infinity for floats");
#elif defined MIN
    ok(identity() == (value)HIGHEST, "the identity of min is the highest integer");
#elif defined MAX
    ok(identity() == (value)LOWEST, "the identity of max is the lowest integer");
#elif defined ADDS
    ok(identity() == 0, "the identity of sum is 0");
#endif
}

static void test_hand_computed_cases(void)
{
#if defined ADDS && defined INT
    ok(combine(value_of(INT_MAX, 0), value_of(1, 1)) == 0x80000000u,
       "a sum of int wraps around: INT_MAX + 1");
    ok(combine(value_of(-1, 0), value_of(-2, 1)) == (uint)-3, "-1 + -2 as int");
#elif defined ADDS && defined UINT
    ok(combine(UINT_MAX, 2) == 1, "a sum of uint wraps around: UINT_MAX + 2");
#elif defined ADDS && defined LONG
    ok(combine(value_of(LONG_MAX, 0), 1) == UINT64_C(1) << 63, "a sum of long wraps in 64 bits");
#elif defined ADDS && defined FLOAT
    ok(combine(0.5f, 0.25f) == 0.75f, "0.5 + 0.25");
    ok(isnan(value_of(NAN, 0)), "a NaN stays in a sum");
#elif defined MIN && defined INT
    ok(combine(-1, 1) == -1, "int is signed: -1 < 1");
#elif defined MAX && defined INT
    ok(combine(-1, 1) == 1, "int is signed: 1 > -1");
#elif defined MIN && defined UINT
    ok(combine(UINT_MAX, 1) == 1, "uint is unsigned: 1 < UINT_MAX");
#elif defined MAX && defined UINT
    ok(combine(UINT_MAX, 1) == UINT_MAX, "uint is unsigned: UINT_MAX > 1");
#elif defined MIN && defined FLOAT
    ok(combine(-INFINITY, 3) == -INFINITY, "an infinity can win");
    ok(value_of(NAN, 0) == INFINITY, "min skips a NaN");
    ok(combine(value_of(NAN, 0), 2) == 2, "min of NaN and 2");
    ok(value_of(INFINITY, 0) == INFINITY, "min leaves INFINITY as it is");
#elif defined MAX && defined FLOAT
    ok(combine(INFINITY, 3) == INFINITY, "an infinity can win");
    ok(value_of(NAN, 0) == -INFINITY, "max skips a NaN");
    ok(combine(2, value_of(NAN, 0)) == 2, "max of 2 and NaN");
    ok(value_of(-2.5f, 0) == -2.5f, "max leaves -2.5 as it is");
#endif
}

/* Keys of argmin and argmax: the least key wins, and the smaller index wins a tie. */
static void test_keys(void)
{
#if defined HAS_INDEX && defined FLOAT
    static const float rising[] = { -INFINITY, -3, -1e-30f, 0, 1e-30f, 2, INFINITY };
    int violations = 0;
    for (int i = 1; i < 7; i++) { // the winner has the greater index, which must not matter
#if defined LEAST_WINS
        violations += !(value_of(rising[i - 1], 9) < value_of(rising[i], 1));
#else
        violations += !(value_of(rising[i], 9) < value_of(rising[i - 1], 1));
#endif
    }
    ok(violations == 0, "keys of floats are ordered as the floats are");
    ok(value_of(-0.0f, 1) < value_of(0.0f, 2) && value_of(0.0f, 1) < value_of(-0.0f, 2),
       "-0 and +0 are equal, so the index decides");
    ok(value_of(NAN, 0) == identity(), "a NaN never wins");
#elif defined HAS_INDEX && defined INT && defined LEAST_WINS
    ok(value_of(-1, 7) < value_of(1, 0), "keys of int are signed");
#elif defined HAS_INDEX && defined INT
    ok(value_of(1, 7) < value_of(-1, 0), "keys of int are signed");
#elif defined HAS_INDEX
    ok(value_of(5, 3) < value_of(5, 4), "the smaller index wins a tie");
#endif
}

/* If the operation has no extreme, losing any element, or counting it twice, changes the result. */
static void test_that_each_element_counts(const struct operation *operation)
{
    enum { N = 300 };
    int unnoticed = 0;
    if (operation->has_extreme)
        return;
    for (int k = 0; k < N; k++) {
        value all = identity(), without = all, twice = all;
        for (int i = 0; i < N; i++) {
            const value v =
                value_of(made((ulong)i, N, 1, (ulong)DATA_UNPLANTED, DATA_PLAIN), (ulong)i);
            all = combine(all, v);
            without = i == k ? without : combine(without, v);
            twice = combine(twice, i == k ? combine(v, v) : v);
        }
        unnoticed += are_equal(all, without) || are_equal(all, twice);
    }
    ok(unnoticed == 0, "%s of %s: an element that is lost or counted twice changes the result",
       operation->op, operation->type);
}

void NAME(laws, OPERATOR, ELEMENT)(void)
{
    test_identity();
    test_hand_computed_cases();
    test_keys();
    test_laws(&NAME(operation, OPERATOR, ELEMENT));
    test_that_each_element_counts(&NAME(operation, OPERATOR, ELEMENT));
}
