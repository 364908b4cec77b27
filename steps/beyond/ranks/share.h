/* A rank's share of the array. */
#pragma once

#include "measure.h"
#include "verify.h"
#include "world.h"

/* Plans this rank's share of the problem. False on all ranks: reduction->reason says why a rank
 * cannot do it. */
bool plan_share(struct reduction *reduction, struct device *device, const struct problem *problem);

/* Makes this rank's share of the data, reduces all of it and compares. False on all ranks:
 * reduction->verdict says what is wrong, and with which rank. */
bool verify_on(struct reduction *reduction, struct data data, bool with_poison);

/* Makes this rank's share of the data, and reduction->input.expected of the whole array. */
void make_share(struct reduction *reduction, struct data data);

/* Every rank says whether the last run was right for it. False: as verify_on(). */
bool agree_on_result(struct reduction *reduction, bool is_right);

/* For measure(): all ranks begin a run together, agree on its result, and keep the time of the
 * slowest rank. */
extern const struct hooks hooks_of_ranks;

/* Around the call of MPI that combines the ranks' values. Copies this rank's value to
 * world.own_value; an index of argmin or argmax is counted in the whole array from now on. Sets
 * world.collective_seconds. */
void begin_collective(const struct operation *operation, const void *value);
void end_collective(void);
