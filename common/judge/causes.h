/* From the evidence, which says how often each element counts, to the likely cause. */
#pragma once

#include "probe.h"

/* If the environment has REDUCE_CAUSE, prints the name of a cause after `mark`: "# cause:
 * tail_not_read". A test that has to know the cause asks for its name, never for the words of a
 * message. */
void print_cause_name(const char *name, const char *mark);

/* Is there a cause that fits the evidence, and is not vague? */
bool has_cause(const struct evidence *found, const struct operation *operation);

/* Prints the cause that most often has this effect, or says that several mistakes look like it.
 * That is an experienced guess, not a proof. `operation` gave the wrong result; the evidence may
 * have been found with another one. Returns whether a picture of the kernel would tell more. */
bool print_cause(const struct evidence *found, const struct operation *operation, const char *mark);
