/* Is the result right, and did the kernel write only where it may?
 *
 *   result, partial results   poison … poison | guard     poison: it would change the result
 *   local memory              poison …
 *
 *   fill with poison -> run -> compare the value, the guard, and the counter of groups
 *
 * A value that no work-item wrote shows, and so does one written where none belongs. */
#pragma once

#include "run.h"

/* ---- the data */
enum { INPUTS_MAX = 24 };

/* Fills the elements with this data. reduction->input has the data and the expected result. */
void make_data(struct reduction *reduction, struct data data);

/* The inputs on which a problem is verified, in order. Returns their number. */
int list_inputs(const struct problem *problem, uint32_t seed, struct data inputs[INPUTS_MAX]);

/* Sorts the numbers, removes repeated ones and those out of range. Returns how many are left. */
int sort_and_filter(uint64_t *numbers, int count, uint64_t least, uint64_t most);

/* ---- runs */

/* Fills the result, all partial results and the guards after them with one value, and local memory
 * with another. NULL is the poison, which is drawn at random for each run, so that no kernel knows
 * it. A counter of groups becomes 0. Returns when that is done. */
void fill_memory(struct reduction *reduction, const any_value *arrays, const any_value *local);

/* Reduces and compares, with poison in memory or with whatever an earlier run left there. False:
 * reduction->verdict says what is wrong. In any case it has the time of the run. */
bool verify_run(struct reduction *reduction, bool with_poison);

/* The same on other data, and then once more on these, with everything that the previous run left
 * in memory. The input must be unchanged, before the other data replace it and afterwards.
 * reduction->input is the other data then. */
bool verify_again(struct reduction *reduction);

/* Are the elements and the guard as make_data() wrote them? False: as above. */
bool input_is_unchanged(struct reduction *reduction);

/* Compares a value only. */
bool value_is_right(struct reduction *reduction, const any_value *value);

/* Verifies a planned reduction on these inputs: STATUS_RIGHT or STATUS_WRONG. Each
 * input's last run has a wall time; reduction->verdict.wall becomes the shortest of them. */
enum status verify_inputs(struct reduction *reduction, const struct data *inputs, int count);
