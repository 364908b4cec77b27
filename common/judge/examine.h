/* A problem is planned, its kernel examined, and its results are verified. */
#pragma once

#include "plan.h"

/* In the judge only: a learner's kernel cannot be built, or is not written for this operation. */
static const enum status STATUS_DOES_NOT_COMPILE = (enum status)100;

/* Plans a problem and verifies it on all inputs: STATUS_RIGHT, STATUS_WRONG, STATUS_UNSUPPORTED,
 * STATUS_SETUP if an option has no effect, or STATUS_DOES_NOT_COMPILE; reduction->reason says why.
 * What the kernel prints does not get to standard output. */
enum status verify_problem(struct reduction *reduction, struct device *device,
                           const struct problem *problem, uint32_t seed);

/* Prints the build log of a kernel that could not be used, and what its text and log show besides.
 */
void print_refusal(const struct reduction *reduction);

/* Returns a sentence on what the wrong value itself shows about the mistake. It is empty if the
 * value shows nothing, or if the operation has no function for that. */
const char *explain_wrong_value(const struct reduction *wrong);
