/* Decides whether a solution can be right. */
#pragma once

#include "enclosure.h"
#include "solver.h"

/* Returns the largest relative error that rounding may cause in the last row sums of the device. */
double bound_rounding(const struct solver *solver);

/* Returns whether the row sums, their maximum and the eigenvector belong to A, up to the error of
 * rounding. If not, `why` says what is wrong. Computes the enclosure in any case. */
bool verify_solution(const struct solver *solver, struct enclosure *enclosure, char why[300]);
