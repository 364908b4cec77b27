/* The last matrix is A scaled by the vector: M[i][j] = A[i][j] v[j] / v[i]. So what A makes of that
 * vector, in double, must lie within the row sums that the device found.
 */
#include "judge.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

/* Additions of positive numbers, one after the other in an atomic version, in ours side by side in
 * the elements of vectors, eight at least; for each round a division (2.5 ulp) and two products in
 * the matrix, and a division and a product in each of the two elements of the vector that a
 * quotient has. An ulp is 2^-23 at most, and half of one a rounding. */
double rounding_of(const struct solver *s)
{
    const double n = (double)s->n, additions = s->version->eigenvector ? n : n / 8 + 8,
                 each_round = 2.5 + 1 + 2 * (2.5 + 0.5);
    return (additions + 2 * each_round * (s->rounds + 1)) * FLT_EPSILON / 2;
}

bool judged(const struct solver *s, struct truth *truth, char why[300])
{
    float *vector = allocate(s->n * sizeof *vector);
    const struct bounds last = s->bounds[s->rounds];
    const double rounding = rounding_of(s);
    solver_vector(s, vector);
    *truth = truth_of(s->a, s->n, vector);
    free(vector);
    const bool near = s->article_stop ? last.apart < s->tolerance
                                      : last.largest - last.least <= s->tolerance * last.largest;
    snprintf(why, 300,
             "the stop test was %s, but row sums lie from %.8g to %.8g, neighbours %.3g apart",
             s->converged ? "met" : "not met", last.least, last.largest, last.apart);
    if (s->converged != near)
        return false;
    float maximum[2];
    buffer_read(&s->device, s->maximum, 0, sizeof maximum, maximum);
    snprintf(why, 300, "the largest row sum is %.9g, but the maximum found is %.9g", last.largest,
             maximum[!s->version->eigenvector]);
    if (maximum[!s->version->eigenvector] != last.largest)
        return false;
    snprintf(why, 300, "the eigenvector holds what is no number");
    if (!truth->positive) // no quotient is known well enough
        return truth->numbers;
    snprintf(why, 300,
             "the row sums lie from %.8g to %.8g, but what A makes of the vector from %.8g to %.8g",
             last.least, last.largest, truth->least, truth->largest);
    return truth->least >= last.least * (1 - rounding) &&
           truth->largest <= last.largest * (1 + rounding);
}
