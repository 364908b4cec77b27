/* The data on the device, and what must come out of it. */
#pragma once

#include "plan.h"

enum { GUARD = 4096 }; // elements behind the input that would win, if they were read

/* Fails if n elements and the guard do not fit. */
void input_must_fit(const struct device *device, const struct operation *operation, uint64_t n);

/* Fills run->elements with that data, and run->expected, on the host, with what must come out. */
void input_make(struct run *run, struct data data);

/* Is that what stands there still? False: run->reason says where it is not. */
bool input_untouched(struct run *run);
