/* An interval that encloses lambda. The host computes it in double from A and an eigenvector that
 * the device found, without any other result of the device. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct enclosure {
    double smallest, largest; // lambda lies between them
    double residual;          // |A v - lambda v| / |lambda v| for the middle of the interval
    bool has_numbers;         // the vector has no NaN and no negative element
    bool is_positive;         // each element of the vector is at least FLT_MIN
};

struct enclosure enclose_lambda(const float *a, uint64_t n, const float *vector);
