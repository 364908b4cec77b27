/* The data on the device, and what must come out of it. */
#pragma once

#include "plan.h"

enum { GUARD = 4096 }; // elements behind the input that would win, if they were read

struct input {
    const struct device *device;
    const struct operation *operation;
    struct data data;
    struct array elements;
    any_value expected;
    double sum; // of uniform floats, before it was rounded to one
};

/* Makes data on the device, and the expected value on the host. Fails if n elements do not fit, as
 * input_must_fit does beforehand. input_remake puts other data in its place, no more of it. */
void input_must_fit(const struct device *device, const struct operation *operation, uint64_t n);
struct input input_make(const struct device *device, const struct operation *operation,
                        struct data data);
void input_remake(struct input *input, struct data data);
void input_release(struct input *input);

/* Is it still what was made? False: run->reason says where it is not. */
bool input_untouched(struct run *run, const struct input *input);
