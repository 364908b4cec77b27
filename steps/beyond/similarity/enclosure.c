/* Collatz and Wielandt: for A >= 0 and any v > 0, min (Av)_i / v_i <= lambda <= max (Av)_i / v_i.
 * For v = 1 these quotients are the row sums. So there are two intervals, and lambda lies in both.
 *
 * If A is reducible or has a period, some elements of v become too small for a float. FLT_MIN then
 * replaces these elements, so that v > 0 still holds. */
#include "enclosure.h"

#include "fail.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

struct enclosure enclose_lambda(const float *a, uint64_t n, const float *vector)
{
    const double rounding = 2 * (double)(n + 2) * DBL_EPSILON; // at most, in a sum of n products
    double *v = allocate(n * sizeof *v), *product = allocate(n * sizeof *product);
    double smallest = INFINITY, largest = 0, smallest_sum = INFINITY, largest_sum = 0;
    struct enclosure enclosure = { .has_numbers = true, .is_positive = true };
    for (uint64_t i = 0; i < n; i++) {
        enclosure.has_numbers &= vector[i] >= 0;
        enclosure.is_positive &= vector[i] >= FLT_MIN;
        v[i] = fmax(vector[i], FLT_MIN);
    }
    for (uint64_t i = 0; i < n; i++) {
        double sum = 0;
        for (uint64_t j = 0; j < n; j++) {
            product[i] += a[i * n + j] * v[j];
            sum += a[i * n + j];
        }
        smallest_sum = fmin(smallest_sum, sum);
        largest_sum = fmax(largest_sum, sum);
        smallest = fmin(smallest, product[i] / v[i]);
        largest = fmax(largest, product[i] / v[i]);
    }
    enclosure.smallest = fmax(smallest, smallest_sum) * (1 - rounding);
    enclosure.largest = fmin(largest, largest_sum) * (1 + rounding);

    const double lambda = (enclosure.smallest + enclosure.largest) / 2;
    double residual = 0, norm = 0; // squared
    for (uint64_t i = 0; i < n; i++) {
        const double expected = lambda * v[i];
        residual += (product[i] - expected) * (product[i] - expected);
        norm += expected * expected;
    }
    enclosure.residual = sqrt(residual / norm);
    free(product);
    free(v);
    return enclosure;
}
