/* The kinds of cause that the judge can name. A program or a test that has to know the cause asks
 * for its kind, never for the words of a message. oclgrind.py has kinds of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum cause {
    CAUSE_UNKNOWN, // no known pattern
    CAUSE_NONE,    // the judge cannot look for a cause

    // the kernel gave no result
    CAUSE_DOES_NOT_COMPILE,
    CAUSE_NEVER_ENDS,
    CAUSE_CRASHES,

    // verify.c has seen it
    CAUSE_INPUT_WRITTEN,
    CAUSE_WRITTEN_BEYOND_OUT,
    CAUSE_COUNTER_NOT_RESET,
    CAUSE_KEPT_FROM_EARLIER_RUN,

    // the words of a kernel
    CAUSE_OPERATOR,
    CAUSE_KEY,
    CAUSE_INDEX,
    CAUSE_ORDER,
    CAUSE_VECTOR_INDEX,

    // memory that no work-item wrote, or not in time
    CAUSE_SCRATCH_NOT_SET,
    CAUSE_READ_BEFORE_SET,
    CAUSE_BOUND_MISSING,
    CAUSE_OUT_NOT_WRITTEN,
    CAUSE_ONE_PLACE_WRITTEN,
    CAUSE_READ_TOO_EARLY,
    CAUSE_OUT_NOT_SET,
    CAUSE_ACCUMULATOR_START,
    CAUSE_RACE,

    // the end of a group or of the kernel
    CAUSE_NO_GROUP_FINISHES,
    CAUSE_NO_ELEMENT_LOADED,
    CAUSE_ALL_PUBLISH,
    CAUSE_COMBINED_AGAIN,
    CAUSE_OTHERS_PUBLISH,

    // the path of each work-item through the elements
    CAUSE_READ_BY_ALL,
    CAUSE_LOOP_TOO_SHORT,
    CAUSE_ACCUMULATOR_OVERWRITTEN,
    CAUSE_BLOCKS_OVERLAP,
    CAUSE_VECTORS_OVERLAP,
    CAUSE_STRIDE_OF_GROUP,
    CAUSE_GROUPS_BEGIN_AT_0,
    CAUSE_SAME_ELEMENT,
    CAUSE_ELEMENT_0_AGAIN,

    // parts of a vector, a sub-group, a group
    CAUSE_VECTOR_FILLED,
    CAUSE_ONE_COMPONENT,
    CAUSE_ONE_LANE,
    CAUSE_FIRST_SUB_GROUPS,
    CAUSE_LANES_ASSUMED,
    CAUSE_ACCUMULATOR_LOST,
    CAUSE_BARRIER_MISSING, // or the comparison of the tree is inverted, which looks the same
    CAUSE_ROUND_WRONG,
    CAUSE_ROUND_MISSING, // or a barrier
    CAUSE_TREE_COMPARISON,
    CAUSE_TREE_LOSES_ODD,
    CAUSE_ELEMENTS_EXCHANGED,

    // one end of the elements
    CAUSE_TAIL_NOT_READ,
    CAUSE_REST_NOT_READ,
    CAUSE_BEGINS_AT_1,
    CAUSE_OFF_BY_ONE,
    CAUSE_N_TRUNCATED,
    CAUSE_LAST_GROUP_MISSING,
    CAUSE_STAGE_MISSING,
    CAUSE_NEXT_STAGE
};

/* Is the order of the work-items suspected? Then --races may show where. */
bool races_may_show(enum cause cause);

/* If the environment has REDUCE_CAUSE, prints the kind after `mark`: "# cause: barrier_missing". */
void print_kind(enum cause cause, const char *mark);

/* A cause with the sentence that names it. */
struct diagnosis {
    enum cause cause;
    const char *sentence; // each "%zu" in it stands for one of the two numbers
    uint64_t number, other;
};
