/* 04 commutative_tree
 * Idea     Give up the order: the lower half of the group combines with the upper half, and so on.
 * Change   (against 03) Only the loop of the tree. The active work-items lie side by side, so whole
 *          vectors of lanes fall idle instead of most lanes of every vector.
 * Expect   The same combinations, barriers and partial results as in 03. Faster where lanes run in
 *          lock-step.
 * Try      --variant atomic_finish: no partial results, no host; but can the groups still run
 *          undisturbed?
 */
#include "step.h"

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    struct array group_results = partials(run, ceil_div(run->elements.count, group));

    predict_tree(stage(run, run->elements, group_results, group_results.count, group), 1,
                 ceil_log2(group));
    finish_on_host(run, group_results);
    return true;
}

static bool plan_atomic(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = ceil_div(run->elements.count, group);

    fill(run, run->result); // the groups combine into it, one after the other
    struct stage *tree = stage(run, run->elements, run->result, groups, group);
    predict_tree(tree, 1, ceil_log2(group));
    tree->global_atomics = groups;
    return true;
}

static const struct variant variants[] = {
    { "commutative", "04_commutative_tree.cl", plan,
      .article = "CATZ: commutative tree, one stage; GUIDE: TreeReduction1" },
    { "atomic_finish", "04_atomic_finish.cl", plan_atomic, ATOMICS,
      .article = "PERI: tree reduction; CATZ: atomics finish; PERI-CODE: tree with an "
                 "atomic, never called" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 4, "commutative_tree", 3, variants };
    return step_main(argc, argv, &step);
}
