/* Is the result right, and did the kernel write only where it may?
 *
 *   result, partial results   poison … poison | guard     poison: it would change the result
 *   local memory              poison …
 *
 *   fill with poison -> run -> compare the value, the guard, and the counter of groups
 *
 * A value that no work-item wrote shows, and so does one written where none belongs. */
#pragma once

#include "data.h"
#include "run.h"

/* Fills the result, all partial results and the guards after them with one value, and local memory
 * with another. NULL is the poison, which is drawn at random for each run, so that no kernel knows
 * it. A counter of groups becomes 0. Returns when that is done. */
void fill_memory(struct reduction *reduction, const any_value *arrays, const any_value *local);

/* Reduces and compares, with poison in memory or with whatever an earlier run left there. False:
 * reduction->mistake and reason say what is wrong. Sets reduction->wall. */
bool verify_run(struct reduction *reduction, bool with_poison);

/* The same on other data, with everything that the previous run left in memory. The input must be
 * unchanged, before the other data replace it and afterwards. reduction->data is the other data
 * then. */
bool verify_again(struct reduction *reduction);

/* Are the elements and the guard as make_data() wrote them? False: as above. */
bool input_is_unchanged(struct reduction *reduction);

/* Compares a value only. */
bool value_is_right(struct reduction *reduction, const any_value *value);

/* Verifies a planned reduction on all of its inputs: STATUS_RIGHT or STATUS_WRONG. Sets
 * reduction->wall to the shortest time of all last runs. */
enum status verify_inputs(struct reduction *reduction, uint32_t seed);

/* Returns a sentence on what the wrong value itself shows about the mistake. It is empty if the
 * value shows nothing, or if the operation has no function for that. */
const char *explain_wrong_value(const struct reduction *wrong);

/* Plans a problem and verifies it: the same, or STATUS_UNSUPPORTED or STATUS_DOES_NOT_COMPILE. */
enum status verify_problem(struct reduction *reduction, struct device *device,
                           const struct problem *problem, uint32_t seed);
