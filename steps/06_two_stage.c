/* 06 two_stage
 * Idea     Launch only as many work-items as the machine holds; each combines many elements by
 * itself, and only then does the group build its tree. Change   (against 05) A loop before the
 * tree. 05 starts a tree from every element, this one from every work-item. Expect   Two launches,
 * whatever n is; one tree per n / groups elements, so barriers cost next to nothing. Try --groups
 * 1, 2, 4, 8 and so on: where does the speed stop to grow, and what is busy then? On a CPU the grid
 * stride is a bad order to read in: ./step02 --variant all shows the same two orders side by side.
 */
#include "step.h"

static void predict(const struct run *run, struct stage *tree)
{
    predict_tree(tree, 1, ceil_log2(tree->group));
    if (run->variant->keeps_order) // 16 elements of each work-item pass through local memory
                                   // between two barriers
        tree->barriers += 2 * ceil_div(tree->adds, 16);
}

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    struct array each_group = partials(run, groups);

    predict(run, stage(run, run->elements, each_group, groups, group));
    predict(run, stage(run, each_group, run->result, 1, group));
    return true;
}

int main(int argc, char **argv)
{
    static const struct step step = {
        6,
        "two_stage",
        5,
        {
            { "commutative", "06_two_stage.cl", plan,
              .article = "CATZ: two-stage; GUIDE: ComputeParallel3, ComputeParallel4" },
            { "associative", "06_associative.cl", plan, .scratch = 17, .keeps_order = ALWAYS,
              .article = "CATZ: two-stage associative (left there as an exercise)" },
        },
    };
    return step_main(argc, argv, &step);
}
