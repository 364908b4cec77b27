/* Whether what came out can be right, and the words for it. */
#pragma once

#include "solver.h"
#include "truth.h"

/* How far the device's row sums may be off at the end, relative. */
double rounding_of(const struct solver *solver);

/* True: the row sums and the vector belong to A, as far as rounding allows. Else why says what does
 * not. */
bool judged(const struct solver *solver, struct truth *truth, char why[300]);
