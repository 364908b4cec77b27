/* Making the data, and judging what comes out: equal, canaries alive, input untouched. */
#ifndef VERIFY_H
#define VERIFY_H

#include "run.h"

enum { GUARD = 4096 }; // elements behind the input that would win, if they were read

/* One input: what it holds and what must come out. */
struct input {
    struct data data;
    struct array elements;
    any_value expected;
    any_value plain; // without an extreme: made once, however many places that takes in turn
    bool has_plain;
    double sum; // of floats, before it was rounded to one
};

/* Makes data on the device, and the expected value on the host. Fails if n elements do not fit, as
 * input_must_fit does beforehand. input_remake puts other data of the same length in its place. */
void input_must_fit(const struct device *device, const struct operation *operation, uint64_t n);
struct input input_make(const struct device *device, struct kernels *kernels,
                        const struct operation *operation, struct data data);
void input_remake(struct input *input, const struct device *device, struct kernels *kernels,
                  const struct operation *operation, struct data data);
void input_release(struct input *input);

/* Of a sum of uniform floats: how far off, and how far it may be. */
struct accuracy {
    double error, bound; // relative to the sum of |x|; bound NAN: there is none
};
struct accuracy accuracy_of(const struct run *run, const any_value *got, const struct input *input);

/* Poison everywhere, reduce, compare, look at the canaries. True: right. False: `why` says what is
 * wrong. *wall: the seconds that the reduction took. */
bool verified(const struct run *run, const struct input *input, double *wall, char why[400]);

/* Its parts, for a caller that has run the plan itself. */
bool same_value(const struct run *run, const any_value *got, const struct input *input,
                char why[400]);
bool input_untouched(const struct run *run, const struct input *input, char why[400]);

#endif
