/* Collatz and Wielandt: for A >= 0 and any v > 0, min (Av)_i / v_i <= lambda <= max (Av)_i / v_i.
 * With v = 1 these are the row sums. An element too small for a float, where A is reducible or has
 * a period, is taken for FLT_MIN: that is a v > 0 as well.
 */
#include "truth.h"

#include "fail.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

struct truth truth_of(const float *a, uint64_t n, const float *vector)
{
    const double rounding = 2 * (double)(n + 2) * DBL_EPSILON; // of sums of n products, and more
    double *v = allocate(n * sizeof *v), *product = allocate(n * sizeof *product);
    double least = INFINITY, largest = 0, least_sum = INFINITY, largest_sum = 0;
    struct truth truth = { .numbers = true, .positive = true };
    for (uint64_t i = 0; i < n; i++) {
        truth.numbers &= vector[i] >= 0;
        truth.positive &= vector[i] >= FLT_MIN;
        v[i] = fmax(vector[i], FLT_MIN);
    }
    for (uint64_t i = 0; i < n; i++) {
        double sum = 0;
        for (uint64_t j = 0; j < n; j++) {
            product[i] += a[i * n + j] * v[j];
            sum += a[i * n + j];
        }
        least_sum = fmin(least_sum, sum);
        largest_sum = fmax(largest_sum, sum);
        least = fmin(least, product[i] / v[i]);
        largest = fmax(largest, product[i] / v[i]);
    }
    truth.least = fmax(least, least_sum) * (1 - rounding);
    truth.largest = fmin(largest, largest_sum) * (1 + rounding);

    const double lambda = (truth.least + truth.largest) / 2;
    double off = 0, whole = 0;
    for (uint64_t i = 0; i < n; i++) {
        const double expected = lambda * v[i];
        off += (product[i] - expected) * (product[i] - expected);
        whole += expected * expected;
    }
    truth.residual = sqrt(off / whole);
    free(product);
    free(v);
    return truth;
}
