/* The laws of one operation, and hand-computed cases. Compiled for each operation, as
 * common/operation.c is, and linked with tests/kernels/units.c. -D MIN -D FLOAT name,
 * beside the options of the library, what is computed by hand. Without any option it is the sum of
 * int.
 */
#include "units.h"

#include "../../kernels/data.clh"

#define NAME_OF(prefix, op, type) prefix##_##op##_##type
#define NAME(prefix, op, type) NAME_OF(prefix, op, type)
#define NEAR(a, b) ((a) == (b) || (isnan(a) && isnan(b))) // infinity - infinity in both

static bool same(value a, value b)
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
static void laws(const struct operation *operation)
{
    const element elements[] = { (element)LOWEST, (element)HIGHEST, 0, 1, 2, 77 };
    enum { COUNT = sizeof elements / sizeof *elements + 1 };
    value some[COUNT];
    int broken = 0, swapped = 0;

    some[0] = identity();
    for (int a = 1; a < COUNT; a++)
        some[a] = value_of(elements[a - 1], (ulong)a);
    for (int a = 0; a < COUNT; a++) {
        broken += !same(combine(identity(), some[a]), some[a]) ||
                  !same(combine(some[a], identity()), some[a]);
        for (int b = 0; b < COUNT; b++) {
            swapped += !same(combine(some[a], some[b]), combine(some[b], some[a]));
            for (int c = 0; c < COUNT; c++)
                broken += !same(combine(combine(some[a], some[b]), some[c]),
                                combine(some[a], combine(some[b], some[c])));
        }
    }
    ok(broken == 0 && operation->commutative == (swapped == 0),
       "the laws of %s of %s: neutral, associative, %s", operation->op, operation->type,
       operation->commutative ? "commutative" : "not commutative");
}

static void identities(void)
{
#if defined ARGMIN || defined ARGMAX
    ok(identity() == UINT64_MAX, "no key is greater than the identity");
#elif defined HASH
    ok(identity().scale == 1 && identity().hash == 0, "the hash of no elements");
#elif defined MIN && defined FLOATING
    ok(identity() == INFINITY, "min of floats: infinity");
#elif defined MAX && defined FLOATING
    ok(identity() == -INFINITY, "max of floats: -infinity");
#elif defined MIN
    ok(identity() == (value)HIGHEST, "min of integers: the highest");
#elif defined MAX
    ok(identity() == (value)LOWEST, "max of integers: the lowest");
#elif defined ADDS
    ok(identity() == 0, "the identity of sum is 0");
#endif
}

static void by_hand(void)
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
static void keys(void)
{
#if defined HAS_INDEX && defined FLOAT
    static const float rising[] = { -INFINITY, -3, -1e-30f, 0, 1e-30f, 2, INFINITY };
    int broken = 0;
    for (int i = 1; i < 7; i++) { // although the winner has the greater index
#if defined LEAST_WINS
        broken += !(value_of(rising[i - 1], 9) < value_of(rising[i], 1));
#else
        broken += !(value_of(rising[i], 9) < value_of(rising[i - 1], 1));
#endif
    }
    ok(broken == 0, "keys of floats are ordered as the floats are");
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
static void each_counts(const struct operation *operation)
{
    enum { N = 300 };
    int unseen = 0;
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
        unseen += same(all, without) || same(all, twice);
    }
    ok(unseen == 0, "%s of %s: an element that is lost or counted twice changes the result",
       operation->op, operation->type);
}

void NAME(laws, OPERATOR, ELEMENT)(void)
{
    identities();
    by_hand();
    keys();
    laws(&NAME(operation, OPERATOR, ELEMENT));
    each_counts(&NAME(operation, OPERATOR, ELEMENT));
}
