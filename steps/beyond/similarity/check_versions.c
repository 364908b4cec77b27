/* Compares solutions with known results: those of the article for Hilbert's matrix with the
 * article's stop test, those of its author's small cases, and properties that hold for any matrix.
 * A result that is published as a decimal number may differ by half of its last digit and by the
 * error of rounding. */
#include "check_versions.h"

#include "matrix.h"
#include "solution.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hilbert_case {
    uint64_t n;
    int rounds; // as published
    double first_sum;
    double lambda;       // computed by a power iteration in double
    double last_element; // of the eigenvector, whose first element is 1
} hilbert_cases[] = {
    { 128, 9, 2.21719, 2.216860766326, 0.042125 },
    { 256, 10, 2.30421, 2.303808995425, 0.029174 },
    { 512, 12, 2.37954, 2.379312511861, 0.020280 },
    { 1024, 13, 2.44555, 2.445267942109, 0.014141 },
    { 2048, 14, 2.50355, 2.503197358214, 0.0098817 },
    { 4096, 15, 2.55476, 2.554333533444, 0.0069173 },
    { 8192, 17, 2.59999, 2.599683354050, 0.0048476 },
};

struct tap {
    const struct solver *common;
    int tests, failures;
};

struct outcome {          // the result of one solution
    struct solver solver; // already closed: only its numbers are valid
    struct bounds last;
    struct enclosure enclosure;
    float *vector;
    bool is_right;
    char why[300];
};

static void __attribute__((format(printf, 4, 5)))
print_result(struct tap *tap, bool is_ok, const struct outcome *o, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s %d - ", is_ok ? "ok" : "not ok", ++tap->tests);
    vprintf(format, arguments);
    va_end(arguments);
    printf(", %s\n", o->solver.version->name);
    if (!is_ok)
        printf(
            "# %s after %d rounds, row sums from %.9g to %.9g, row sum 0 %.9g, lambda from %.12g "
            "to %.12g%s%s\n",
            o->solver.has_converged ? "converged" : "not converged", o->solver.rounds,
            o->last.smallest, o->last.largest, o->solver.first_sum, o->enclosure.smallest,
            o->enclosure.largest, o->is_right ? "" : ": ", o->is_right ? "" : o->why);
    fflush(stdout);
    tap->failures += !is_ok;
}

static struct outcome solve_with(const struct tap *tap, const struct version *version,
                                 const float *a, uint64_t n, bool article_stop, int rounds_max,
                                 size_t group_size)
{
    struct outcome o = { .solver = *tap->common };
    struct solver *s = &o.solver;
    s->version = version;
    s->a = a;
    s->n = n;
    s->article_stop = article_stop;
    s->tolerance = article_stop ? 1e-3f : 1e-5f;
    s->rounds_max = rounds_max;
    s->group_size = group_size ? group_size : s->group_size;
    open_solver(s);
    solve(s, s->device->queue);
    o.vector = allocate(n * sizeof *o.vector);
    read_vector(s, o.vector);
    o.is_right = verify_solution(s, &o.enclosure, o.why);
    o.last = s->bounds[s->rounds];
    close_solver(s);
    return o;
}

static bool is_near(double got, double expected, double digit, double rounding)
{
    return fabs(got - expected) <= digit / 2 + rounding * expected;
}

static void check_hilbert(struct tap *tap, const struct version *version,
                          const struct hilbert_case *known)
{
    struct matrix matrix = open_matrix("hilbert", known->n);
    fill_matrix(&matrix, 0);
    struct outcome o = solve_with(tap, version, matrix.cells, known->n, true, 100, 0);
    const double rounding = bound_rounding(&o.solver), last = o.vector[known->n - 1];
    print_result(tap,
                 o.is_right && o.solver.has_converged && o.solver.rounds == known->rounds &&
                     is_near(o.solver.first_sum, known->first_sum, 1e-5, rounding),
                 &o,
                 "hilbert, n = %" PRIu64 ", the article's stop test: %d rounds, row sum 0 is %g",
                 known->n, known->rounds, known->first_sum);
    print_result(tap,
                 o.enclosure.smallest <= known->lambda && known->lambda <= o.enclosure.largest &&
                     o.last.smallest <= known->lambda * (1 + rounding) &&
                     known->lambda <= o.last.largest * (1 + rounding) &&
                     is_near(last, known->last_element, pow(10, floor(log10(last)) - 4), rounding),
                 &o, "... lambda %.10g is within the bounds, the vector ends with %g",
                 known->lambda, known->last_element);
    free(o.vector);
    free(matrix.cells);
}

struct small_case { // a matrix written by hand, and its known results
    const char *name;
    const float *a;
    uint64_t n;
    bool article_stop, converges;
    int rounds_max, rounds;
    double lambda, first_sum;
    const double *vector; // or NULL
};

static void check_small(struct tap *tap, const struct version *version,
                        const struct small_case *small)
{
    struct outcome o =
        solve_with(tap, version, small->a, small->n, small->article_stop, small->rounds_max, 0);
    const double rounding = bound_rounding(&o.solver);
    bool is_ok = o.is_right && o.solver.has_converged == small->converges &&
                 o.solver.rounds == small->rounds && o.enclosure.smallest <= small->lambda &&
                 small->lambda <= o.enclosure.largest &&
                 is_near(o.solver.first_sum, small->first_sum, 1e-6, rounding);
    for (uint64_t i = 0; small->vector && i < small->n; i++)
        is_ok &= is_near(o.vector[i], small->vector[i], 1e-6, rounding);
    print_result(tap, is_ok, &o, "%s: %s after %d rounds, lambda %.9g within the bounds",
                 small->name, small->converges ? "converges" : "does not converge", small->rounds,
                 small->lambda);
    free(o.vector);
}

/* Checks a diagonal matrix. In every round its row sums are equal to its diagonal. */
static void check_diagonal(struct tap *tap, const struct version *version, const char *name,
                           double first, double step, bool article_stop, bool converges)
{
    enum { N = 1024 };
    float *a = allocate(sizeof(float) * N * N);
    double *vector = allocate(sizeof(double) * N), lambda = fmax((float)first, 0);
    for (int i = 0; i < N; i++) {
        a[i * N + i] = (float)(first + i * step);
        lambda = fmax(lambda, a[i * N + i]);
    }
    for (int i = 0; i < N; i++)
        vector[i] = a[i * N + i] / lambda;
    const struct small_case small = { name, a, N,      article_stop, converges,
                                      0,    0, lambda, (float)first, vector };
    check_small(tap, version, &small);
    free(vector);
    free(a);
}

static void check_random(struct tap *tap, const struct version *version, uint64_t n,
                         size_t group_size)
{
    struct matrix matrix = open_matrix("random", n);
    fill_matrix(&matrix, (uint32_t)n);
    struct outcome o = solve_with(tap, version, matrix.cells, n, false, 100, group_size);
    const double width = o.enclosure.largest - o.enclosure.smallest,
                 rounding = bound_rounding(&o.solver);
    print_result(tap,
                 o.is_right && o.solver.has_converged &&
                     width <= (1e-5 + 2 * rounding) * o.enclosure.largest,
                 &o, "random, n = %" PRIu64 "%s%.0zu: converges, and the bounds of lambda are near",
                 n, group_size ? ", groups of " : "", group_size);
    free(o.vector);
    free(matrix.cells);
}

/* Our version must give the same bits in every run, in one pass or two, with groups of any size. */
static void check_same_bits(struct tap *tap, const struct version *ours, const struct version *two)
{
    const uint64_t n = 1009;
    struct matrix matrix = open_matrix("random", n);
    fill_matrix(&matrix, 7);
    struct outcome first = solve_with(tap, ours, matrix.cells, n, false, 100, 0);
    const size_t unit = first.solver.group_unit;
    const size_t group_sizes[] = { 0, 0, 0, unit, 64, 128, 192, 256 };
    bool is_same = first.is_right;
    for (int i = 0; i < 16; i++) {
        const size_t group_size = group_sizes[i / 2] / unit * unit;
        struct outcome again =
            solve_with(tap, i % 2 ? two : ours, matrix.cells, n, false, 100, group_size);
        is_same &= memcmp(again.vector, first.vector, n * sizeof(float)) == 0 &&
                   memcmp(&again.last, &first.last, sizeof first.last) == 0;
        free(again.vector);
    }
    print_result(tap, is_same, &first,
                 "the same bits in every run, in one pass and in two, in groups of %zu to 256",
                 unit);
    free(first.vector);
    free(matrix.cells);
}

/* The article's stop test compares absolute differences with 1e-3. If sums are near 2048,
 * neighbouring floats are 2.4e-4 apart, so rounding decides whether the test is ever met. If the
 * same matrix is multiplied by 16, its sums are near 32768 and neighbouring floats are 2e-3 apart.
 * Then the test is met only if all sums are equal. */
static void check_never_met(struct tap *tap, const struct version *version)
{
    struct matrix matrix = open_matrix("random", 4096);
    fill_matrix(&matrix, 1);
    for (uint64_t i = 0; i < matrix.n * matrix.n; i++)
        matrix.cells[i] *= 16;
    struct outcome o = solve_with(tap, version, matrix.cells, matrix.n, true, 60, 0);
    print_result(tap, o.is_right && !o.solver.has_converged && o.solver.rounds == 60, &o,
                 "random, n = 4096, times 16: the article's stop test is not met in 60 rounds");
    free(o.vector);
    free(matrix.cells);
}

enum status check_versions(const struct solver *common, const struct version *versions)
{
    static const float three[] = { 1, 1, 2, 2, 1, 3, 2, 3, 5 }, ten[] = { 1, 10, 0, 2 },
                       blocks[] = { 1, 0, 0, 0, 1, 1, 0, 1, 1 };
    static const double vector[] = { 0.394074, 0.578844, 0.997451 };
    static const struct small_case small_cases[] = {
        // the number of rounds of the second case was computed in double
        { "the author's 3 x 3", three, 3, true, true, 100, 4, 7.531128874149, 7.531139, vector },
        { "1 10, 0 2: reducible", ten, 2, false, true, 100, 16, 2, 2.000013733, NULL },
        { "two blocks", blocks, 3, false, false, 30, 30, 2, 1, NULL },
    };
    static const uint64_t sizes[] = { 1, 2, 3, 5, 15, 16, 17, 31, 33, 127, 257, 1009 };
    struct tap tap = { .common = common };
    for (const struct version *v = versions; v->name; v++) {
        const bool is_main = v == versions;
        for (size_t i = 0; i < sizeof hilbert_cases / sizeof *hilbert_cases; i++) {
            const uint64_t n = hilbert_cases[i].n;
            if (n <= (is_main ? 4096 : 1024) ||
                (is_main && 4.0 * n * n < common->device->buffer_bytes / 2))
                check_hilbert(&tap, v, &hilbert_cases[i]);
        }
        for (size_t i = 0; i < sizeof small_cases / sizeof *small_cases; i++)
            check_small(&tap, v, &small_cases[i]);
        check_diagonal(&tap, v, "the identity", 1, 0, false, true);
        check_diagonal(&tap, v, "1.0001 everywhere, the article's stop test", 1.0001, 0, true,
                       true);
        check_diagonal(&tap, v, "1 to 1024: the largest, and the vector", 1, 1, false, false);
        check_diagonal(&tap, v, "1e-4 from neighbour to neighbour: the wrap-around pair", 1e-4,
                       1e-4, true, false);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_random(&tap, v, sizes[i], 0);
        for (uint64_t n = 127; n <= 129; n++)
            check_random(&tap, v, n, 128);
    }
    check_same_bits(&tap, versions, versions + 1);
    check_random(&tap, versions, 4096, 0);
    check_never_met(&tap, versions);
    printf("1..%d\n", tap.tests);
    return tap.failures ? STATUS_WRONG : STATUS_RIGHT;
}
