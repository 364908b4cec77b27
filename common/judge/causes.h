/* From the evidence, which says how often each element counts, to the likely cause. */
#pragma once

#include "probe.h"

/* The kinds of cause that the judge can name: first those that need no guess, then those of
 * causes.c. A program or a test that has to know the cause asks for its kind, never for the words
 * of a message. oclgrind.py has kinds of its own. */
#define CAUSES(CAUSE)                                                                              \
    CAUSE(UNKNOWN), CAUSE(NONE), CAUSE(DOES_NOT_COMPILE), CAUSE(NEVER_ENDS), CAUSE(CRASHES),       \
        CAUSE(POCL_LOOP), CAUSE(INPUT_WRITTEN), CAUSE(WRITTEN_BEYOND_OUT),                         \
        CAUSE(COUNTER_NOT_RESET), CAUSE(KEPT_FROM_EARLIER_RUN), CAUSE(IN_PLACE), CAUSE(KEY),       \
        CAUSE(OPERATOR), CAUSE(ORDER), CAUSE(INDEX), CAUSE(NAN), CAUSE(TREE_LOSES_ODD),            \
        CAUSE(LAST_PART_SMALLER), CAUSE(OUT_NOT_WRITTEN), CAUSE(OUT_NOT_SET),                      \
        CAUSE(READ_TOO_EARLY), CAUSE(NO_GROUP_FINISHES), CAUSE(NO_ELEMENT_LOADED),                 \
        CAUSE(ACCUMULATOR_START), CAUSE(READ_BY_ALL), CAUSE(ALL_PUBLISH), CAUSE(OTHERS_PUBLISH),   \
        CAUSE(LOOP_TOO_SHORT), CAUSE(ACCUMULATOR_OVERWRITTEN), CAUSE(BLOCKS_OVERLAP),              \
        CAUSE(VECTORS_OVERLAP), CAUSE(STRIDE_OF_GROUP), CAUSE(STRIDE_OF_ONE),                      \
        CAUSE(FIRST_ROUND_TWICE), CAUSE(GROUPS_BEGIN_AT_0), CAUSE(SAME_ELEMENT),                   \
        CAUSE(ELEMENT_0_AGAIN), CAUSE(NOT_WRITTEN_BACK), CAUSE(VECTOR_FILLED),                     \
        CAUSE(ONE_COMPONENT), CAUSE(ONE_LANE), CAUSE(FIRST_SUB_GROUPS), CAUSE(LANES_ASSUMED),      \
        CAUSE(ACCUMULATOR_LOST), CAUSE(ROUND_MISSING), CAUSE(ELEMENTS_EXCHANGED),                  \
        CAUSE(TAIL_NOT_READ), CAUSE(REST_NOT_READ), CAUSE(BEGINS_AT_1), CAUSE(OFF_BY_ONE),         \
        CAUSE(N_TRUNCATED), CAUSE(LAST_GROUP_MISSING), CAUSE(STAGE_MISSING),                       \
        CAUSE(SIZE_256_ASSUMED)
#define CAUSE_KIND(name) CAUSE_##name
enum cause { CAUSES(CAUSE_KIND) };

/* If the environment has REDUCE_CAUSE, prints the kind after `mark`: "# cause: tail_not_read". */
void print_kind(enum cause cause, const char *mark);

/* The same for a kind of oclgrind.py. */
void print_kind_name(const char *name, const char *mark);

/* Prints and returns the cause that most often has this effect, or says that several mistakes look
 * like it. That is an experienced guess, not a proof. `operation` gave the wrong result; the
 * evidence may have been found with another one. */
enum cause print_cause(const struct evidence *found, const struct operation *operation,
                       const char *mark);
