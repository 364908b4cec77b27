/* 06 two_stage
 * Idea     Launch only as many work-items as the machine holds; each combines many elements by
 *          itself, and only then does the group build its tree.
 * Change   (against 05) A loop before the tree. 05 starts a tree from every element, this one from
 *          every work-item.
 * Expect   Two launches, whatever n is; one tree for n / groups elements: barriers cost next to
 *          nothing.
 * Try      --groups 1, 2, 4, 8 and so on: where does the speed stop growing, and what is busy then?
 *          On a CPU the grid stride is a bad order to read in: ./step02 --variant all shows why.
 */
#include "step.h"

static void plan(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = choose_groups(reduction, 8 * reduction->device->compute_units);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, group_size);
    add_stage(reduction, partials, reduction->result, 1, group_size);
}

static void predict(const struct reduction *reduction, struct stage *stage)
{
    (void)reduction;
    stage->chain_length = ceil_div(stage->in.count, stage->groups * stage->group_size);
    stage->tree_depth = stage->barriers = ceil_log2(stage->group_size);
}

/* Keeps the order by blocks in local memory: see the picture in 06_associative.cl. */
enum { KEPT = 16 }; // elements of each work-item between two barriers

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
