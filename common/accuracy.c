/* Sums of uniform floats are not exact:
 *
 *     each addition rounds by a factor between 1 - u and 1 + u, u = 2^-24
 *     an element meets at most k of them on its way into the result
 *     so the result is off by at most   k u / (1 - k u) * sum |x|
 *
 * (N. J. Higham, "The accuracy of floating point summation", 1993). k follows from the plan. The
 * data is not negative, so sum |x| is the sum.
 */
#include "accuracy.h"

/* The longest way: the additions of an accumulator, then a tree. Atomics are accumulators too. */
static double roundings(const struct plan *plan)
{
    double k = 0;
    for (int i = 0; i < plan->stage_count; i++) {
        const struct stage *stage = &plan->stages[i];
        // A group's local atomics are on one place, and a work-item has one at most.
        uint64_t local = stage->local_atomics < stage->group ? stage->local_atomics : stage->group;
        k += (double)stage->adds + stage->depth + (double)local + (double)stage->global_atomics;
    }
    return k;
}

struct accuracy accuracy_of(const struct run *run, const any_value *got, double exact)
{
    const double most = 0.01; // above it the bound says next to nothing: there is none then
    const double ku = 0x1p-24 * roundings(run->plan);
    const double off = fabs(run->operation->number(got) - exact);
    return (struct accuracy) { .error = exact > 0 ? off / exact : off, // all may be 0
                               .bound = ku > most ? NAN : ku / (1 - ku) };
}
