/* What counts as right. Most data is exact in any order, so right means equal; sums of uniform
 * floats are not:
 *
 *     each addition rounds by a factor between 1 - u and 1 + u, u = 2^-24
 *     an element meets at most k of them on its way into the result
 *     so the result is off by at most   k u / (1 - k u) * sum |x|
 *
 * (N. J. Higham, "The accuracy of floating point summation", 1993). k follows from the plan. The
 * data is not negative, so sum |x| is the sum.
 */
#include "verify.h"

#include <stdio.h>
#include <string.h>

/* The additions on the longest way: its accumulator takes that many, then a tree; atomics are
 * accumulators too. */
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

struct accuracy accuracy_of(const struct run *run, const any_value *got, const struct input *input)
{
    const double u = 0x1p-24,
                 most = 0.01; // above it the bound says next to nothing: there is none then
    struct accuracy accuracy = { 0, 0 };
    if (!input->data.uniform)
        return accuracy;
    double ku = u * roundings(run->plan), off = fabs(run->operation->number(got) - input->sum);
    accuracy.error = input->sum > 0 ? off / input->sum : off; // a few elements may all be 0
    accuracy.bound = ku > most ? NAN : ku / (1 - ku);
    return accuracy;
}

bool same_value(const struct run *run, const any_value *got, const struct input *input,
                char why[400])
{
    const struct operation *operation = run->operation;
    char got_text[32], expected_text[32], within[64] = "";
    if (input->data.uniform) {
        struct accuracy is = accuracy_of(run, got, input);
        if (isfinite(is.error) && !(is.error > is.bound)) // a bound that is NAN refuses no number
            return true;
        snprintf(within, sizeof within, ", off by %.3g of it at most", is.bound);
    } else if (memcmp(got, &input->expected, operation->value_bytes) == 0) {
        return true;
    }
    operation->print(got, got_text, sizeof got_text);
    operation->print(&input->expected, expected_text, sizeof expected_text);
    snprintf(why, 400, "expected %s%s, got %s, difference %.9g", expected_text, within, got_text,
             operation->number(got) - operation->number(&input->expected));
    return false;
}
