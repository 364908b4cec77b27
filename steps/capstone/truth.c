/* Collatz and Wielandt: for A >= 0 and any v > 0, min (Av)_i / v_i <= lambda <= max (Av)_i / v_i.
 * The first half holds for v >= 0 too, over the i with v_i > 0. With v = 1 these are the row sums.
 */
#include "truth.h"

#include "fail.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

struct truth truth_of(const float *a, uint64_t n, const float *vector)
{
    const double rounding = 2 * (double)(n + 2) * DBL_EPSILON; // of sums of n products, and more
    double *product = allocate(n * sizeof *product);
    double least = 0, largest = 0, least_sum = INFINITY, largest_sum = 0;
    struct truth truth = { .positive = true };
    for (uint64_t i = 0; i < n; i++)
        truth.positive &= vector[i] >= FLT_MIN;
    least = truth.positive ? INFINITY : 0;
    for (uint64_t i = 0; i < n; i++) {
        double sum = 0;
        for (uint64_t j = 0; j < n; j++) {
            product[i] += (double)a[i * n + j] * vector[j];
            sum += a[i * n + j];
        }
        least_sum = fmin(least_sum, sum);
        largest_sum = fmax(largest_sum, sum);
        if (truth.positive) {
            least = fmin(least, product[i] / vector[i]);
            largest = fmax(largest, product[i] / vector[i]);
        }
    }
    if (!truth.positive)
        largest = INFINITY;
    truth.least = fmax(least, least_sum) * (1 - rounding);
    truth.largest = fmin(largest, largest_sum) * (1 + rounding);

    const double lambda = (truth.least + truth.largest) / 2;
    double off = 0, whole = 0;
    for (uint64_t i = 0; i < n; i++) {
        const double expected = lambda * vector[i];
        off += (product[i] - expected) * (product[i] - expected);
        whole += expected * expected;
    }
    truth.residual = sqrt(off / whole);
    free(product);
    return truth;
}
