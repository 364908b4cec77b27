/* Judging what comes out: the right value, nothing written where nothing belongs. */
#pragma once

#include "input.h"
#include "run.h"

/* Of a sum of uniform floats: how far off, and how far it may be. */
struct accuracy {
    double error, bound; // relative to the sum of |x|; bound NAN: there is none
};
struct accuracy accuracy_of(const struct run *run, const any_value *got);

/* One value in the result, in all partial results and behind them; another in local memory; 0 in a
 * counter of groups. Returns when they are there. */
void fill_memory(const struct run *run, const any_value *arrays, const any_value *local);

/* Poison everywhere, reduce, compare, look at what the run has left. True: right. False:
 * run->reason says what is wrong. run->wall: the seconds that the reduction took. */
bool verified(struct run *run);

/* The same on other data, which takes the place of run->data, with all there that the run before it
 * has left; and the input is still what it was. */
bool verified_anew(struct run *run);

/* Only the comparison, for a caller that has run the plan itself: adds to run->reason. */
bool same_value(struct run *run, const any_value *got);
