/* The known answers: Hilbert's matrix by the article's stop test, the author's own small cases, and
 * what must hold of any matrix. Where one is a decimal number, half of its last digit is allowed,
 * and what rounding can do.
 */
#include "checks.h"

#include "judge.h"
#include "matrix.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct known { // rounds as published; lambda by a power iteration in double
    uint64_t n;
    int rounds;
    double first_sum, lambda, last_element; // of the vector, whose first one is 1
} hilbert[] = {
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

/* The last solution, and what is known of it. */
struct outcome {
    struct solver solver; // closed: its numbers count
    struct bounds first, last;
    struct truth truth;
    float *vector;
    bool right;
    char why[300];
};

static void __attribute__((format(printf, 4, 5)))
result(struct tap *tap, bool good, const struct outcome *o, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s %d - ", good ? "ok" : "not ok", ++tap->tests);
    vprintf(format, arguments);
    va_end(arguments);
    printf(", %s\n", o->solver.version->name);
    if (!good)
        printf(
            "# %s after %d rounds, row sums from %.9g to %.9g, row sum 0 %.9g, lambda from %.12g "
            "to %.12g%s%s\n",
            o->solver.converged ? "converged" : "not converged", o->solver.rounds, o->last.least,
            o->last.largest, o->solver.first_sum, o->truth.least, o->truth.largest,
            o->right ? "" : ": ", o->right ? "" : o->why);
    fflush(stdout);
    tap->failures += !good;
}

static struct outcome run(const struct tap *tap, const struct version *version, const float *a,
                          uint64_t n, bool article, int most, size_t group)
{
    struct outcome o = { .solver = *tap->common };
    struct solver *s = &o.solver;
    s->version = version;
    s->a = a;
    s->n = n;
    s->article_stop = article;
    s->tolerance = article ? 1e-3f : 1e-5f;
    s->most_rounds = most;
    s->group = group ? group : s->group;
    solver_open(s);
    solve(s, false);
    o.vector = allocate(n * sizeof *o.vector);
    solver_vector(s, o.vector);
    o.right = judged(s, &o.truth, o.why);
    o.first = s->bounds[0];
    o.last = s->bounds[s->rounds];
    solver_close(s);
    return o;
}

static bool near(double got, double expected, double digit, double rounding)
{
    return fabs(got - expected) <= digit / 2 + rounding * expected;
}

static void check_hilbert(struct tap *tap, const struct version *version, const struct known *known)
{
    struct matrix matrix = matrix_open("hilbert", known->n);
    matrix_fill(&matrix, 0);
    struct outcome o = run(tap, version, matrix.cells, known->n, true, 100, 0);
    const double rounding = rounding_of(&o.solver), last = o.vector[known->n - 1];
    result(tap,
           o.right && o.solver.converged && o.solver.rounds == known->rounds &&
               near(o.solver.first_sum, known->first_sum, 1e-5, rounding),
           &o, "hilbert, n = %" PRIu64 ", the article's stop test: %d rounds, row sum 0 is %g",
           known->n, known->rounds, known->first_sum);
    result(tap,
           o.truth.least <= known->lambda && known->lambda <= o.truth.largest &&
               o.last.least <= known->lambda * (1 + rounding) &&
               known->lambda <= o.last.largest * (1 + rounding) &&
               near(last, known->last_element, pow(10, floor(log10(last)) - 4), rounding),
           &o, "... lambda %.10g is within the bounds, the vector ends with %g", known->lambda,
           known->last_element);
    free(o.vector);
    free(matrix.cells);
}

struct small { // a matrix by hand: what is known of it
    const char *what;
    const float *a;
    uint64_t n;
    bool article, converges;
    int most, rounds;
    double lambda, first_sum;
    const double *vector; // or NULL
};

static void check_small(struct tap *tap, const struct version *version, const struct small *small)
{
    struct outcome o = run(tap, version, small->a, small->n, small->article, small->most, 0);
    const double rounding = rounding_of(&o.solver);
    bool good = o.right && o.solver.converged == small->converges &&
                o.solver.rounds == small->rounds && o.truth.least <= small->lambda &&
                small->lambda <= o.truth.largest &&
                near(o.solver.first_sum, small->first_sum, 1e-6, rounding);
    for (uint64_t i = 0; small->vector && i < small->n; i++)
        good &= near(o.vector[i], small->vector[i], 1e-6, rounding);
    result(tap, good, &o, "%s: %s after %d rounds, lambda %.9g within the bounds", small->what,
           small->converges ? "converges" : "does not converge", small->rounds, small->lambda);
    free(o.vector);
}

/* A diagonal matrix: its row sums are the diagonal, and stay so. */
static void check_diagonal(struct tap *tap, const struct version *version, const char *what,
                           double first, double step, bool article, bool stops)
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
    const struct small small = { what, a, N, article, stops, 0, 0, lambda, (float)first, vector };
    check_small(tap, version, &small);
    free(vector);
    free(a);
}

static void check_random(struct tap *tap, const struct version *version, uint64_t n, size_t group)
{
    struct matrix matrix = matrix_open("random", n);
    matrix_fill(&matrix, (uint32_t)n);
    struct outcome o = run(tap, version, matrix.cells, n, false, 100, group);
    const double width = o.truth.largest - o.truth.least, rounding = rounding_of(&o.solver);
    result(tap, o.right && o.solver.converged && width <= (1e-5 + 2 * rounding) * o.truth.largest,
           &o, "random, n = %" PRIu64 "%s%.0zu: converges, and lambda is as certain as it says", n,
           group ? ", groups of " : "", group);
    free(o.vector);
    free(matrix.cells);
}

/* Fused or not, from run to run, in groups of any size. */
static void check_same_bits(struct tap *tap, const struct version *ours, const struct version *two)
{
    const uint64_t n = 1009;
    struct matrix matrix = matrix_open("random", n);
    matrix_fill(&matrix, 7);
    struct outcome first = run(tap, ours, matrix.cells, n, false, 100, 0);
    const size_t least = first.solver.least_group;
    const size_t groups[] = { 0, 0, 0, least, 64, 128, 192, 256 };
    bool same = first.right;
    for (int i = 0; i < 16; i++) {
        const size_t group = groups[i / 2] / least * least;
        struct outcome again = run(tap, i % 2 ? two : ours, matrix.cells, n, false, 100, group);
        same &= memcmp(again.vector, first.vector, n * sizeof(float)) == 0 &&
                memcmp(&again.last, &first.last, sizeof first.last) == 0;
        free(again.vector);
    }
    result(tap, same, &first,
           "the same bits from run to run, in one pass and in two, in groups of %zu to 256", least);
    free(first.vector);
    free(matrix.cells);
}

/* The article's test is absolute. With sums near 2048, floats 2.4e-4 apart, it hangs on how each
 * version's additions round: in some it is met, in some never. Sixteen times the same matrix has
 * sums near 32768, floats 2e-3 apart: all sums would have to be equal. */
static void check_never_met(struct tap *tap, const struct version *version)
{
    struct matrix matrix = matrix_open("random", 4096);
    matrix_fill(&matrix, 1);
    for (uint64_t i = 0; i < matrix.n * matrix.n; i++)
        matrix.cells[i] *= 16;
    struct outcome o = run(tap, version, matrix.cells, matrix.n, true, 60, 0);
    result(tap, o.right && !o.solver.converged && o.solver.rounds == 60, &o,
           "random, n = 4096, times 16: the article's stop test is not met in 60 rounds");
    free(o.vector);
    free(matrix.cells);
}

int check_all(const struct solver *common, const struct version *versions)
{
    static const float three[] = { 1, 1, 2, 2, 1, 3, 2, 3, 5 }, ten[] = { 1, 10, 0, 2 },
                       blocks[] = { 1, 0, 0, 0, 1, 1, 0, 1, 1 };
    static const double vector[] = { 0.394074, 0.578844, 0.997451 };
    static const struct small known[] = {
        // rounds of the second: worked out in double
        { "the author's 3 x 3", three, 3, true, true, 100, 4, 7.531128874149, 7.531139, vector },
        { "1 10, 0 2: reducible", ten, 2, false, true, 100, 16, 2, 2.000013733, NULL },
        { "two blocks", blocks, 3, false, false, 30, 30, 2, 1, NULL },
    };
    static const uint64_t sizes[] = { 1, 2, 3, 5, 15, 16, 17, 31, 33, 127, 257, 1009 };
    struct tap tap = { .common = common };
    for (const struct version *v = versions; v->name; v++) {
        const bool main = v == versions;
        for (size_t i = 0; i < sizeof hilbert / sizeof *hilbert; i++) {
            const uint64_t n = hilbert[i].n;
            if (n <= (main ? 4096 : 1024) ||
                (main && 4.0 * n * n < common->device.buffer_bytes / 2))
                check_hilbert(&tap, v, &hilbert[i]);
        }
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            check_small(&tap, v, &known[i]);
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
    return tap.failures ? EXIT_WRONG : 0;
}
