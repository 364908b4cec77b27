/* How far off is a result: nothing, where the data is exact, else no more than a bound. */
#ifndef ACCURACY_H
#define ACCURACY_H

#include "plan.h"

struct accuracy {
    double error, bound; // relative to the sum of |x|; bound NAN: there is none
};

/* Of a sum of uniform floats that is `exact` before it was rounded to one. */
struct accuracy accuracy_of(const struct run *run, const any_value *got, double exact);

#endif
