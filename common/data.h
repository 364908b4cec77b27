/* The input: what the elements are, on the device and for the host's reference, and the list of
 * inputs on which a reduction is verified. */
#pragma once

#include "plan.h"

enum { INPUTS_MAX = 20 };

/* Fills the elements with this data, and reduction->expected with the result that they have. */
void make_data(struct reduction *reduction, struct data data);

/* Launches a kernel of data.cl over all elements and the guard, and waits. `found` is its last
 * argument, or NULL if it has none. */
void launch_over_input(const struct reduction *reduction, const char *name, cl_mem found);

/* The inputs on which a problem is verified, in order. Returns their number. */
int list_inputs(const struct problem *problem, uint32_t seed, struct data inputs[INPUTS_MAX]);

/* Sorts the numbers, removes repeated ones and those out of range. Returns how many are left. */
int sort_and_filter(uint64_t *numbers, int count, uint64_t least, uint64_t most);
