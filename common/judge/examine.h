/* A problem is planned, its kernel examined, and its results are verified. */
#pragma once

#include "plan.h"

/* In the judge only: a learner's kernel cannot be built, or is not written for this operation. */
static const enum status STATUS_DOES_NOT_COMPILE = (enum status)100;

/* Plans a problem and verifies it on all inputs: STATUS_RIGHT, STATUS_WRONG, STATUS_UNSUPPORTED,
 * STATUS_SETUP if an option has no effect, or STATUS_DOES_NOT_COMPILE. reduction->reason says why
 * the problem could not be run, and reduction->verdict how the result is wrong. Meanwhile standard
 * output belongs to the kernel: see begin_work(). */
enum status verify_problem(struct reduction *reduction, struct device *device,
                           const struct problem *problem, uint32_t seed);

/* Are the types that a learner's kernel names itself right for the operation? If not, writes the
 * reason to reduction->reason. */
bool takes_operation(struct reduction *reduction);

/* Prints why the kernel of this plan cannot be used, and then the log of the compiler. */
void print_refusal(const struct reduction *reduction);

/* Asks the operation to explain the mistake by the wrong value alone. Returns its sentence, or ""
 * if the operation has no such function or finds nothing. */
const char *explain_wrong_value(const struct reduction *wrong);
