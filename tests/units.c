/* Prints TAP: the operators' laws and hand-computed cases, the number parser, the clock, the
 * statistics, ceil_log2. With arguments (op type n seed planted) it prints what the host's
 * reference makes of such data.
 *
 * Includes itself once per operator and type: see common/each_operator.h. */
#if !defined PREFIX

#include "clock.h"
#include "operator.h"
#include "options.h"
#include "step.h"
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tests, failures;

static void ok(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void ok(bool good, const char *format, ...)
{
    va_list arguments;
    printf("%s %d - ", good ? "ok" : "not ok", ++tests);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    failures += !good;
}

#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)
#define PREFIX unit
#define INSTANTIATE "units.c"
#include "each_operator.h"
#define CALL_LAWS(op, type) unit_laws_##op##_##type();

static const float nan_ = NAN, inf = INFINITY;

static void known_operators(void)
{
    ok(unit_combine_sum_int(unit_lift_sum_int(INT_MAX, 0), unit_lift_sum_int(1, 1)) == 0x80000000u,
       "a sum of int wraps around: INT_MAX + 1");
    ok(unit_combine_sum_int(unit_lift_sum_int(-1, 0), unit_lift_sum_int(-2, 1)) == (uint)-3,
       "-1 + -2 as int");
    ok(unit_combine_sum_uint(UINT_MAX, 2) == 1, "a sum of uint wraps around: UINT_MAX + 2");
    ok(unit_combine_sum_float(0.5f, 0.25f) == 0.75f, "0.5 + 0.25");
    ok(unit_identity_sum_int() == 0 && unit_identity_sum_uint() == 0 &&
           unit_identity_sum_float() == 0,
       "the identity of sum is 0");
    ok(unit_identity_min_int() == INT_MAX && unit_identity_min_uint() == UINT_MAX,
       "min of integers: the highest");
    ok(unit_identity_max_int() == INT_MIN && unit_identity_max_uint() == 0,
       "max of integers: the lowest");
    ok(unit_identity_min_float() == inf && unit_identity_max_float() == -inf,
       "min, max of floats: the infinities");
    ok(unit_combine_min_int(-1, 1) == -1 && unit_combine_max_int(-1, 1) == 1,
       "int is signed: -1 < 1");
    ok(unit_combine_min_uint(UINT_MAX, 1) == 1 && unit_combine_max_uint(UINT_MAX, 1) == UINT_MAX,
       "uint is not");
    ok(unit_combine_min_float(-inf, 3) == -inf && unit_combine_max_float(inf, 3) == inf,
       "an infinity can win");
    ok(unit_lift_min_float(nan_, 0) == inf && unit_lift_max_float(nan_, 0) == -inf,
       "min and max skip a NaN");
    ok(unit_combine_min_float(unit_lift_min_float(nan_, 0), 2) == 2, "min of NaN and 2");
    ok(unit_combine_max_float(2, unit_lift_max_float(nan_, 0)) == 2, "max of 2 and NaN");
    ok(unit_lift_min_float(inf, 0) == inf && unit_lift_max_float(-2.5f, 0) == -2.5f,
       "what is no NaN stays as it is");
    ok(isnan(unit_lift_sum_float(nan_, 0)), "a NaN stays in a sum");
    ok(unit_combine_sum_long(unit_lift_sum_long(LONG_MAX, 0), 1) == UINT64_C(1) << 63,
       "a sum of long wraps in 64 bits");
    ok(unit_identity_max_double() == -inf && unit_identity_min_ulong() == UINT64_MAX,
       "identities of 64-bit types");
}

/* Keys of argmin and argmax: the least key wins, an earlier index wins a tie. */
static void known_keys(void)
{
    static const float rising[] = { -INFINITY, -3, -1e-30f, 0, 1e-30f, 2, INFINITY };
    int broken = 0;
    for (int i = 1; i < 7;
         i++) // the later, greater one stands at a smaller index: it must not matter
        broken +=
            !(unit_lift_argmin_float(rising[i - 1], 9) < unit_lift_argmin_float(rising[i], 1)) +
            !(unit_lift_argmax_float(rising[i], 9) < unit_lift_argmax_float(rising[i - 1], 1));
    ok(broken == 0, "keys of floats are ordered as the floats are");
    ok(unit_lift_argmin_float(-0.0f, 1) < unit_lift_argmin_float(0.0f, 2) &&
           unit_lift_argmin_float(0.0f, 1) < unit_lift_argmin_float(-0.0f, 2),
       "-0 and +0 are equal: the index decides");
    ok(unit_lift_argmin_float(nan_, 0) == unit_identity_argmin_float(), "a NaN is never the least");
    ok(unit_lift_argmin_int(-1, 7) < unit_lift_argmin_int(1, 0) &&
           unit_lift_argmax_int(1, 7) < unit_lift_argmax_int(-1, 0),
       "keys of int are signed");
    ok(unit_lift_argmin_uint(5, 3) < unit_lift_argmin_uint(5, 4) &&
           unit_lift_argmax_uint(5, 3) < unit_lift_argmax_uint(5, 4),
       "the smaller index wins a tie, both ways");
}

static void known_folds(void)
{
    const struct operation *sum = operator_find("sum", "int"), *min = operator_find("min", "float");
    const uint32_t words[] = { 1, 2, 0xffffffffu, 4 };
    const float floats[] = { 3, -7.5f, 0, -7 };
    any_value result;
    char text[32];

    sum->set_identity(&result);
    sum->fold(words, 4, &result);
    sum->print(&result, text, sizeof text);
    ok(strcmp(text, "6") == 0, "the host folds 1, 2, -1, 4 to %s", text);
    sum->fold(words, 1, &result);
    ok(sum->number(&result) == 7, "and goes on from there");
    min->set_identity(&result);
    min->fold(floats, 0, &result);
    ok(min->number(&result) == (double)inf, "nothing folds to the identity");
    min->fold(floats, 4, &result);
    ok(min->number(&result) == -7.5, "min of 3, -7.5, 0, -7");
    ok(!operator_find("sum", "nosuch") && !operator_find("nosuch", "int"),
       "there is no operator like that");
    for (int i = 0; operators[i]; i++) {
        any_value poison;
        operators[i]->set_identity(&result);
        operators[i]->set_poison(&poison);
        operators[i]->fold(&poison, 1, &result);
        ok(memcmp(&poison, &result, operators[i]->value_bytes) == 0, "poison wins: %s of %s",
           operators[i]->op, operators[i]->type);
    }
}

static void known_plants(void) // what is planted later is as good as what was there from the start
{
    for (int i = 0; operators[i]; i++) {
        struct data data = { .n = 1000, .seed = 7, .planted = (uint64_t)NOWHERE };
        any_value planted, later;
        operators[i]->reference(&data, &later);
        operators[i]->plant(&later, 300);
        data.planted = 300;
        operators[i]->reference(&data, &planted);
        ok(memcmp(&planted, &later, operators[i]->value_bytes) == 0,
           "%s of %s, planted before and after", operators[i]->op, operators[i]->type);
    }
}

static struct options parsed(const char *option, const char *text)
{
    char name[] = "step", first[40], second[80];
    char *words[] = { name, first, second, NULL };
    snprintf(first, sizeof first, "%s", option);
    snprintf(second, sizeof second, "%s", text);
    optind = 0; // getopt's way of starting afresh
    return options_parse(3, words);
}

static void known_numbers(void) // what is refused ends the program: command_line.t has that
{
    static const struct {
        const char *text;
        uint64_t number;
    } known[] = {
        { "1", 1 },
        { "1000", 1000 },
        { "007", 7 },
        { "2^0", 1 },
        { "2^24", 16777216 },
        { "2^63", UINT64_C(9223372036854775808) },
        { "3Ki", 3072 },
        { "16Mi", 16777216 },
        { "2Gi", UINT64_C(2147483648) },
        { "18446744073709551615", UINT64_MAX },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct options options = parsed("--n", known[i].text);
        ok(options.n.count == 1 && options.n.value[0] == known[i].number, "%s is %" PRIu64,
           known[i].text, known[i].number);
    }
    struct options list = parsed("--group", "1,2^3,1Ki");
    ok(list.group.count == 3 && list.group.value[0] == 1 && list.group.value[1] == 8 &&
           list.group.value[2] == 1024,
       "a list keeps its order");
    struct options sweep = parsed("--sweep", "1000..2^12");
    ok(sweep.n.count == 3 && sweep.n.value[0] == 1024 && sweep.n.value[2] == 4096,
       "a sweep is the powers of two within");
    ok(parsed("--sweep", "2^62..2^63").n.count == 2, "a sweep ends at 2^63");
    ok(parsed("--seconds", "0.25").seconds == 0.25, "seconds have fractions");
}

/* In place of the loader's: a device that counts from 1970, as NVIDIA's do; each event takes 4.2
 * us, 0.1 us later. */
cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size,
                                           void *to, size_t *got)
{
    cl_ulong time = 1700000000123456789 + 100 * (uintptr_t)event +
                    (what == CL_PROFILING_COMMAND_END ? 4200 : 0);
    (void)got;
    memcpy(to, &time, size);
    return CL_SUCCESS;
}

static void known_intervals(void)
{
    struct interval first = event_interval((cl_event)1);
    bool exact = true;
    for (uintptr_t i = 1; i <= 20; i++) {
        struct interval event = event_interval((cl_event)i);
        double length = event.end - event.start, later = event.start - first.start;
        exact = exact && fabs(length - 4.2e-6) < 1e-12 && fabs(later - 1e-7 * (i - 1)) < 1e-12;
    }
    ok(exact, "event times from 1970 on are exact to the nanosecond");
}

static void known_statistics(void)
{
    const double one[] = { 4 }, two[] = { 3, 1 }, ten[] = { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 };
    const double eleven[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100 }, missing[] = { 1, NAN, 3 };
    struct statistics s = statistics(one, 1);
    ok(s.min == 4 && s.median == 4 && s.p90 == 4, "statistics of one sample");
    s = statistics(two, 2);
    ok(s.min == 1 && s.median == 2 && s.p90 == 3, "of two: the median is between them");
    s = statistics(ten, 10);
    ok(s.min == 1 && s.median == 5.5 && s.p90 == 9,
       "of ten, backwards: 9 of 10 are not above the 90 %% quantile");
    s = statistics(eleven, 11);
    ok(s.min == 1 && s.median == 6 && s.p90 == 10, "of eleven with an outlier");
    s = statistics(missing, 3);
    ok(isnan(s.min) && isnan(s.median) && isnan(s.p90), "one missing: all missing");
}

static void known_rounds(void)
{
    static const uint64_t n[] = {
        0, 1, 2, 3, 4, 5, 7, 8, 9, 256, 257, UINT64_C(1) << 63, UINT64_MAX
    };
    static const unsigned rounds[] = { 0, 0, 1, 2, 2, 3, 3, 3, 4, 8, 9, 63, 64 };
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        ok(ceil_log2(n[i]) == rounds[i], "ceil_log2(%" PRIu64 ") is %u", n[i], rounds[i]);
    ok(ceil_div(0, 3) == 0 && ceil_div(1, 3) == 1 && ceil_div(3, 3) == 1 && ceil_div(4, 3) == 2,
       "ceil_div");
    ok(ceil_div(UINT64_MAX, 2) == UINT64_C(1) << 63, "ceil_div does not overflow");
}

int main(int argc, char **argv)
{
    if (argc == 6) {
        const struct operation *operation = operator_find(argv[1], argv[2]);
        const bool nowhere = strcmp(argv[5], "nowhere") == 0;
        const struct data data = { .n = strtoull(argv[3], NULL, 10),
                                   .seed = (uint32_t)strtoul(argv[4], NULL, 10),
                                   .planted =
                                       nowhere ? (uint64_t)NOWHERE : strtoull(argv[5], NULL, 10) };
        any_value value;
        char text[32];
        operation->reference(&data, &value);
        operation->print(&value, text, sizeof text);
        puts(text);
        return 0;
    }
    known_operators();
    known_keys();
    known_plants();
    known_folds();
    EACH_OPERATOR(CALL_LAWS)
    known_numbers();
    known_intervals();
    known_statistics();
    known_rounds();
    printf("1..%d\n", tests);
    return failures != 0;
}

#else /* for one of them */

static bool NAME(same)(value a, value b)
{
#if defined HASH
    return a.scale == b.scale && a.hash == b.hash;
#elif defined FLOATING && !defined ARGMIN && !defined ARGMAX
    return a == b || (isnan(a) && isnan(b)); // infinity - infinity is NaN, whichever way round
#else
    return a == b;
#endif
}

/* The identity is neutral on both sides; combine is associative and, but for hash, commutative. */
static void NAME(laws)(void)
{
    const element elements[] = { (element)LOWEST, (element)HIGHEST, 0, 1, 2, 77 };
    const int count = sizeof elements / sizeof *elements + 1;
    value some[sizeof elements / sizeof *elements + 1];
    int broken = 0, swapped = 0;

    some[0] = identity();
    for (int a = 1; a < count; a++)
        some[a] = lift(elements[a - 1], (ulong)a);
    for (int a = 0; a < count; a++) {
        broken += !NAME(same)(combine(identity(), some[a]), some[a]) ||
                  !NAME(same)(combine(some[a], identity()), some[a]);
        for (int b = 0; b < count; b++) {
            swapped += !NAME(same)(combine(some[a], some[b]), combine(some[b], some[a]));
            for (int c = 0; c < count; c++)
                broken += !NAME(same)(combine(combine(some[a], some[b]), some[c]),
                                      combine(some[a], combine(some[b], some[c])));
        }
    }
    bool commutative = operator_find(TEXT(OPERATOR), TEXT(TYPE))->commutative;
    ok(broken == 0 && commutative == (swapped == 0),
       "the laws of %s of %s: neutral, associative, %s", TEXT(OPERATOR), TEXT(TYPE),
       commutative ? "commutative" : "not commutative");
}
#endif
