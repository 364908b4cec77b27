#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    bool races_may_show;
} kinds[] = {
    [CAUSE_UNKNOWN] = { "unknown", true },
    [CAUSE_NONE] = { "none" },

    [CAUSE_DOES_NOT_COMPILE] = { "does_not_compile" },
    [CAUSE_NEVER_ENDS] = { "never_ends", true },
    [CAUSE_CRASHES] = { "crashes", true },

    [CAUSE_INPUT_WRITTEN] = { "input_written" },
    [CAUSE_WRITTEN_BEYOND_OUT] = { "written_beyond_out" },
    [CAUSE_COUNTER_NOT_RESET] = { "counter_not_reset" },
    [CAUSE_KEPT_FROM_EARLIER_RUN] = { "kept_from_earlier_run" },

    [CAUSE_OPERATOR] = { "operator" },
    [CAUSE_KEY] = { "key" },
    [CAUSE_INDEX] = { "index" },
    [CAUSE_ORDER] = { "order" },
    [CAUSE_VECTOR_INDEX] = { "vector_index" },

    [CAUSE_SCRATCH_NOT_SET] = { "scratch_not_set" },
    [CAUSE_READ_BEFORE_SET] = { "read_before_set", true },
    [CAUSE_BOUND_MISSING] = { "bound_missing" },
    [CAUSE_OUT_NOT_WRITTEN] = { "out_not_written" },
    [CAUSE_ONE_PLACE_WRITTEN] = { "one_place_written" },
    [CAUSE_READ_TOO_EARLY] = { "read_too_early" },
    [CAUSE_OUT_NOT_SET] = { "out_not_set" },
    [CAUSE_ACCUMULATOR_START] = { "accumulator_start" },
    [CAUSE_RACE] = { "race", true },

    [CAUSE_NO_GROUP_FINISHES] = { "no_group_finishes" },
    [CAUSE_NO_ELEMENT_LOADED] = { "no_element_loaded" },
    [CAUSE_ALL_PUBLISH] = { "all_publish" },
    [CAUSE_COMBINED_AGAIN] = { "combined_again" },
    [CAUSE_OTHERS_PUBLISH] = { "others_publish" },

    [CAUSE_READ_BY_ALL] = { "read_by_all" },
    [CAUSE_LOOP_TOO_SHORT] = { "loop_too_short" },
    [CAUSE_ACCUMULATOR_OVERWRITTEN] = { "accumulator_overwritten" },
    [CAUSE_BLOCKS_OVERLAP] = { "blocks_overlap" },
    [CAUSE_VECTORS_OVERLAP] = { "vectors_overlap" },
    [CAUSE_STRIDE_OF_GROUP] = { "stride_of_group" },
    [CAUSE_GROUPS_BEGIN_AT_0] = { "groups_begin_at_0" },
    [CAUSE_SAME_ELEMENT] = { "same_element" },
    [CAUSE_ELEMENT_0_AGAIN] = { "element_0_again" },

    [CAUSE_VECTOR_FILLED] = { "vector_filled" },
    [CAUSE_ONE_COMPONENT] = { "one_component" },
    [CAUSE_ONE_LANE] = { "one_lane" },
    [CAUSE_FIRST_SUB_GROUPS] = { "first_sub_groups" },
    [CAUSE_LANES_ASSUMED] = { "lanes_assumed" },
    [CAUSE_ACCUMULATOR_LOST] = { "accumulator_lost" },
    [CAUSE_BARRIER_MISSING] = { "barrier_missing", true },
    [CAUSE_ROUND_WRONG] = { "round_wrong" },
    [CAUSE_ROUND_MISSING] = { "round_missing", true },
    [CAUSE_TREE_COMPARISON] = { "tree_comparison", true },
    [CAUSE_TREE_LOSES_ODD] = { "tree_loses_odd" },
    [CAUSE_ELEMENTS_EXCHANGED] = { "elements_exchanged", true },

    [CAUSE_TAIL_NOT_READ] = { "tail_not_read" },
    [CAUSE_REST_NOT_READ] = { "rest_not_read" },
    [CAUSE_BEGINS_AT_1] = { "begins_at_1" },
    [CAUSE_OFF_BY_ONE] = { "off_by_one" },
    [CAUSE_N_TRUNCATED] = { "n_truncated" },
    [CAUSE_LAST_GROUP_MISSING] = { "last_group_missing" },
    [CAUSE_STAGE_MISSING] = { "stage_missing" },
    [CAUSE_NEXT_STAGE] = { "next_stage" },
};

bool races_may_show(enum cause cause) { return kinds[cause].races_may_show; }

void print_kind(enum cause cause, const char *mark)
{
    const char *comment = mark[0] == '#' ? "" : "# ";
    if (getenv("REDUCE_CAUSE"))
        printf("%s%scause: %s\n", mark, comment, kinds[cause].name);
}
