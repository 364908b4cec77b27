/* Making the data, carrying a plan out, and judging the result: expected, poison, canaries,
 * untouched input. */
#ifndef VERIFY_H
#define VERIFY_H

#include "clock.h"
#include "plan.h"

enum { GUARD = 4096 }; // elements behind the input that would win, if they were read

/* One input: what it holds and what must come out. */
struct input {
    struct data data;
    struct array elements;
    any_value expected;
    any_value
        plain; // the same without an extreme: made once, however many places that takes in turn
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

/* Carries the plan out once: enqueues its stages and waits for the value. Kernel and span are known
 * where run->device is on its queue with profiling. */
struct times reduce_once(const struct run *run, any_value *result);

/* Poison everywhere, reduce, compare, look at the canaries. True: right. False: `why` says what is
 * wrong. *wall: the seconds that the reduction took. */
bool verified(const struct run *run, const struct input *input, double *wall, char why[400]);
bool input_untouched(const struct run *run, const struct input *input, char why[400]);

/* One value everywhere: in the result and in all partial results; in local memory, where the next
 * launch finds it. */
void fill_arrays(const struct run *run, const any_value *with);
void fill_local(const struct run *run, const any_value *with);
void poison(const struct run *run);
bool canaries_alive(const struct run *run, char why[400]);  // false: why says where somebody wrote
bool counter_is_back(const struct run *run, char why[400]); // as one launch for all must leave it
const struct kernel *data_kernel(struct kernels *kernels, const struct operation *operation,
                                 const char *name);

/* accuracy.c. Is it what must come out: equal, or for uniform floats within the bound? */
struct accuracy {
    double error, bound; // relative to the sum of |x|; bound NAN: there is none. Both 0 where equal
                         // is required.
};
struct accuracy accuracy_of(const struct run *run, const any_value *got, const struct input *input);
bool same_value(const struct run *run, const any_value *got, const struct input *input,
                char why[400]);

#endif
