/* What is known of lambda without the device: in double, from A itself and the eigenvector found.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct truth {
    double least, largest; // lambda lies between, if the vector is positive
    double residual;       // |A v - lambda v| / |lambda v|, lambda in the middle
    bool numbers;          // the vector has no NaN in it, and nothing negative
    bool positive;         // none of its elements has become too small for a float
};

struct truth truth_of(const float *a, uint64_t n, const float *vector);
