/* Can a solution be right? */
#pragma once

#include "enclosure.h"
#include "solver.h"

/* By how much rounding may change the row sums that the device found last, relative to them. */
double bound_rounding(const struct solver *solver);

/* True: the row sums, their maximum and the eigenvector belong to A, as far as rounding allows.
 * False: `why` says what does not. Computes the enclosure in any case. */
bool judge_solution(const struct solver *solver, struct enclosure *enclosure, char why[300]);
