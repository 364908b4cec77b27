/* Prints TAP: the laws of each operation (laws.c) and hand-computed cases of folds, the number
 * parser, the clock, the statistics and ceil_log2. With arguments (op type n seed planted)
 * it prints the result of the host's reference for such data. */
#include "units.h"

#include "measure.h"
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

void ok(bool is_right, const char *format, ...)
{
    va_list arguments;
    printf("%s %d - ", is_right ? "ok" : "not ok", ++tests);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    failures += !is_right;
}

static void test_folds(void)
{
    const struct operation *sum = find_operation("sum", "int"),
                           *min = find_operation("min", "float");
    const uint32_t words[] = { 1, 2, 0xffffffffu, 4 };
    const float floats[] = { 3, -7.5f, 0, -7 };
    any_value result;

    result = *sum->identity;
    sum->fold(words, 4, &result);
    ok(strcmp(sum->show(&result).text, "6") == 0, "the host folds 1, 2, -1, 4 to 6");
    sum->fold(words, 1, &result);
    ok(sum->show(&result).number == 7, "fold() adds to the value that it is given");
    result = *min->identity;
    min->fold(floats, 0, &result);
    ok(min->show(&result).number == (double)INFINITY, "fold() of no values leaves the identity");
    min->fold(floats, 4, &result);
    ok(min->show(&result).number == -7.5, "min of 3, -7.5, 0, -7");
    ok(!find_operation("sum", "nosuch") && !find_operation("nosuch", "int"),
       "find_operation() returns NULL for an unknown operator or type");
    for (int i = 0; operations[i]; i++) {
        const any_value *poison = operations[i]->poison;
        result = *operations[i]->identity;
        operations[i]->fold(poison, 1, &result);
        ok(memcmp(poison, &result, operations[i]->value_bytes) == 0,
           "%s of %s: poison wins against the identity", operations[i]->op, operations[i]->type);
    }
}

static void test_extremes(void)
{
    for (int i = 0; operations[i]; i++) {
        if (!operations[i]->has_extreme)
            continue;
        const struct data data = { .n = 1000, .seed = 7, .planted = 300 };
        any_value extreme, all;
        operations[i]->extreme(&data, &extreme);
        operations[i]->reference(&data, &all);
        ok(memcmp(&extreme, &all, operations[i]->value_bytes) == 0,
           "%s of %s: the planted element wins against all others", operations[i]->op,
           operations[i]->type);
    }
}

static struct options parse(const char *option, const char *text)
{
    char name[] = "step", first[40], second[80];
    static const struct known_option *const lists[] = { common_options, measuring_options, NULL };
    char *words[] = { name, first, second, NULL };
    snprintf(first, sizeof first, "%s", option);
    snprintf(second, sizeof second, "%s", text);
    optind = 0; // getopt_long() begins again
    return parse_options(3, words, lists);
}

static void test_numbers(void) // invalid numbers end the program, so command_line.t tests those
{
    static const struct {
        const char *text;
        uint64_t number;
    } cases[] = {
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct options options = parse("--n", cases[i].text);
        ok(options.n.count == 1 && options.n.value[0] == cases[i].number, "%s is %" PRIu64,
           cases[i].text, cases[i].number);
    }
    struct options list = parse("--group", "1,2^3,1Ki");
    ok(list.group.count == 3 && list.group.value[0] == 1 && list.group.value[1] == 8 &&
           list.group.value[2] == 1024,
       "a list keeps its order");
    struct options sweep = parse("--sweep", "1000..2^12");
    ok(sweep.n.count == 3 && sweep.n.value[0] == 1024 && sweep.n.value[2] == 4096,
       "a sweep consists of the powers of two in its range");
    ok(parse("--sweep", "2^62..2^63").n.count == 2, "a sweep ends at 2^63");
    ok(parse("--seconds", "0.25").seconds == 0.25, "seconds have fractions");
}

/* Replaces the loader's function. This device counts from 1970, as NVIDIA's devices do. Each event
 * takes 4.2 us and begins 0.1 us after the previous one. */
cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size,
                                           void *to, size_t *got)
{
    cl_ulong time = 1700000000123456789 + 100 * (uintptr_t)event +
                    (what == CL_PROFILING_COMMAND_END ? 4200 : 0);
    (void)got;
    memcpy(to, &time, size);
    return CL_SUCCESS;
}

static void test_intervals(void)
{
    struct interval first = read_event((cl_event)1);
    bool exact = true;
    for (uintptr_t i = 1; i <= 20; i++) {
        struct interval event = read_event((cl_event)i);
        double length = event.end - event.start, later = event.start - first.start;
        exact = exact && fabs(length - 4.2e-6) < 1e-12 && fabs(later - 1e-7 * (i - 1)) < 1e-12;
    }
    ok(exact, "event times from 1970 on are exact to the nanosecond");
}

static void test_statistics(void)
{
    double one[] = { 4 }, two[] = { 3, 1 }, ten[] = { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 };
    double eleven[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100 }, missing[] = { 1, NAN, 3 };
    struct statistics s = compute_statistics(one, 1);
    ok(s.min == 4 && s.median == 4 && s.p90 == 4, "statistics of one sample");
    s = compute_statistics(two, 2);
    ok(s.min == 1 && s.median == 2 && s.p90 == 3,
       "statistics of two samples: the median lies between them");
    s = compute_statistics(ten, 10);
    ok(s.min == 1 && s.median == 5.5 && s.p90 == 9,
       "statistics of ten samples in descending order: 9 are not above the 90 %% quantile");
    s = compute_statistics(eleven, 11);
    ok(s.min == 1 && s.median == 6 && s.p90 == 10, "statistics of eleven samples with an outlier");
    s = compute_statistics(missing, 3);
    ok(isnan(s.min) && isnan(s.median) && isnan(s.p90),
       "if one sample is missing, all statistics are missing");
}

static void test_rounds(void)
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
        const struct operation *operation = find_operation(argv[1], argv[2]);
        const bool nowhere = strcmp(argv[5], "nowhere") == 0;
        const struct data data = { .n = strtoull(argv[3], NULL, 10),
                                   .seed = (uint32_t)strtoul(argv[4], NULL, 10),
                                   .planted = nowhere ? (uint64_t)DATA_UNPLANTED
                                                      : strtoull(argv[5], NULL, 10) };
        any_value value;
        operation->reference(&data, &value);
        puts(operation->show(&value).text);
        return 0;
    }
    test_extremes();
    test_folds();
#define OPERATION(op, type) laws_##op##_##type();
#include "operation_list.h"
    test_numbers();
    test_intervals();
    test_statistics();
    test_rounds();
    printf("1..%d\n", tests);
    return failures != 0;
}
