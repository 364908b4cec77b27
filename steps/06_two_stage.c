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

/* Two launches, written out: later steps call two_launches() for them. */
static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    struct array group_results = partials(run, groups);

    predict_tree(stage(run, run->elements, group_results, groups, group), 1, ceil_log2(group));
    predict_tree(stage(run, group_results, run->result, 1, group), 1, ceil_log2(group));
    return true;
}

enum { KEPT = 16 }; // elements of each work-item between two barriers: a build option of its kernel

static void predict_kept(struct stage *tree)
{
    predict_tree(tree, 1, ceil_log2(tree->group));
    tree->barriers += 2 * ceil_div(tree->adds, KEPT);
}

static bool plan_associative(struct run *run)
{
    scratch_values(run, KEPT + 1);
    size_t group = group_size(run, 256);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    struct array group_results = partials(run, groups);

    predict_kept(stage(run, run->elements, group_results, groups, group));
    predict_kept(stage(run, group_results, run->result, 1, group));
    return true;
}

static const struct variant variants[] = {
    { "commutative", "06_two_stage.cl", plan,
      .article = "CATZ: two-stage; GUIDE: ComputeParallel3, ComputeParallel4" },
    { "associative", "06_associative.cl", plan_associative, .keeps_order = ALWAYS,
      .options = "-D KEPT=16",
      .article = "CATZ: two-stage associative (left there as an exercise)" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 6, "two_stage", 5, variants };
    return step_main(argc, argv, &step);
}
