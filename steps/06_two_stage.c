/* 06 two_stage
 * Idea     Launch a fixed number of work-items, as many as the machine can keep busy. Each of them
 *          combines many elements by itself. Only then does its group build a tree.
 * Change   (against 05) The kernel has a loop before the tree; in step 05 each work-item loads only
 *          one element. The plan launches a fixed number of groups, so two launches are enough.
 * Expect   Two launches and one tree per group, whatever n is: 8 barriers for each group of 256,
 *          although a group now reduces n / groups elements.
 * Try      --groups 1, then --groups 2, --groups 4: from which number on does the speed stop
 *          growing? After each element, a work-item moves on by the number of work-items in the
 *          launch (the grid stride). With pocl this is slow: compare the variants blocked and
 *          strided of ./step02 --variant all.
 */
#include "step.h"

static void plan(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    // 8 groups of 256 are the 2048 work-items that a compute unit of many GPUs can hold.
    uint64_t groups = choose_groups(reduction, 8 * reduction->device->compute_units);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, group_size);
    add_stage(reduction, partials, reduction->result, 1, group_size);
}

/* Later steps call predict_tree(), which sets chain_length and tree_depth. */
static void predict(const struct reduction *reduction, struct stage *stage)
{
    (void)reduction;
    stage->chain_length = ceil_div(stage->in.count, stage->groups * stage->group_size);
    stage->tree_depth = ceil_log2(stage->group_size);
    stage->barriers = stage->tree_depth;
}

enum { KEPT = 16 }; // elements of each block that local memory holds at once, in 06_associative.cl

static void predict_associative(const struct reduction *reduction, struct stage *stage)
{
    predict(reduction, stage);
    stage->barriers += 2 * ceil_div(stage->chain_length, KEPT);
}

static const struct variant variants[] = {
    { "commutative", "06_two_stage.cl", plan, predict,
      .article = "CATZ: two-stage; GUIDE: ComputeParallel3, ComputeParallel4" },
    { "associative", "06_associative.cl", plan, predict_associative, .order = ORDER_IS_KEPT,
      .constant = { "KEPT", KEPT }, .scratch_values = KEPT + 1,
      .article = "CATZ: two-stage associative (left there as an exercise)" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 6, "two_stage", 5, variants };
    return step_main(argc, argv, &step);
}
