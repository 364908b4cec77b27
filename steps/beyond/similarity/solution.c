/* The last matrix is A scaled by the eigenvector: M[i][j] = A[i][j] v[j] / v[i]. So the row sums of
 * M are the quotients (A v)[i] / v[i]. The host computes these quotients in double, and all of them
 * must lie between the smallest and the largest row sum that the device found. */
#include "solution.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

/* Each addition of positive numbers rounds once. A version with atomics adds all n numbers one
 * after another, but ours adds in vectors of at least eight elements. In each round a cell of the
 * matrix is divided (2.5 ulp) and multiplied twice, and each of the two elements of v in a quotient
 * is divided and multiplied once. An ulp is at most 2^-23 of a number, and rounding changes it by
 * at most half an ulp. */
double bound_rounding(const struct solver *s)
{
    const double n = (double)s->n, additions = s->version->eigenvector ? n : n / 8 + 8,
                 each_round = 2.5 + 1 + 2 * (2.5 + 0.5);
    return (additions + 2 * each_round * (s->rounds + 1)) * FLT_EPSILON / 2;
}

bool verify_solution(const struct solver *s, struct enclosure *enclosure, char why[300])
{
    float *vector = allocate(s->n * sizeof *vector), maximum[2];
    const struct bounds last = s->bounds[s->rounds];
    const double rounding = bound_rounding(s);
    read_vector(s, vector);
    *enclosure = enclose_lambda(s->a, s->n, vector);
    free(vector);

    const bool is_near = s->article_stop
                             ? last.gap < s->tolerance
                             : last.largest - last.smallest <= s->tolerance * last.largest;
    snprintf(why, 300,
             "the stop test was %s, but row sums lie from %.8g to %.8g, neighbours %.3g apart",
             s->has_converged ? "met" : "not met", last.smallest, last.largest, last.gap);
    if (s->has_converged != is_near)
        return false;

    CL(clEnqueueReadBuffer(s->device->queue, s->maximum, CL_TRUE, 0, sizeof maximum, maximum, 0,
                           NULL, NULL));
    const float found = maximum[s->version->eigenvector ? 0 : 1]; // ours writes the smallest first
    snprintf(why, 300, "the largest row sum is %.9g, but the maximum found is %.9g", last.largest,
             found);
    if (found != last.largest)
        return false;

    snprintf(why, 300, "an element of the eigenvector is negative or not a number");
    if (!enclosure->has_numbers)
        return false;
    if (!enclosure->is_positive) // a quotient with such an element is not exact enough
        return true;
    snprintf(why, 300, "row sums lie from %.8g to %.8g, but (A v)[i] / v[i] from %.8g to %.8g",
             last.smallest, last.largest, enclosure->smallest, enclosure->largest);
    return enclosure->smallest >= last.smallest * (1 - rounding) &&
           enclosure->largest <= last.largest * (1 + rounding);
}
