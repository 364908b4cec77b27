/* 04 commutative_tree
 * Idea     In each round the lower half of the values combines with the upper half, so the order of
 *          the elements is lost.
 * Change   (against 03) Only the loop of the tree. The active work-items now stay next to each
 *          other. A GPU runs neighbouring work-items together, as the lanes of one vector. So whole
 *          vectors become idle, instead of most lanes of every vector.
 * Expect   The same numbers of combinations, barriers and partial results as in step 03. The kernel
 *          is faster on a device whose lanes run in lock-step.
 * Try      --variant atomic_finish. Each group combines its value into the result by one atomic, so
 *          the host has no partial results to combine. Do the atomics slow the groups down?
 */
#include "step.h"

static void plan(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = ceil_div(reduction->elements.count, group_size);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, group_size);
    add_host_finish(reduction, partials);
}

static void predict(const struct reduction *reduction, struct stage *stage)
{
    (void)reduction;
    stage->chain_length = 1;
    stage->tree_depth = ceil_log2(stage->group_size);
    stage->barriers = stage->tree_depth;
}

static void plan_atomic(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = ceil_div(reduction->elements.count, group_size);

    add_fill(reduction, reduction->result); // each group combines its value into the result
    add_stage(reduction, reduction->elements, reduction->result, groups, group_size);
}

static void predict_atomic(const struct reduction *reduction, struct stage *stage)
{
    predict(reduction, stage);
    stage->global_atomics = stage->groups;
}

static const struct variant variants[] = {
    { "commutative", "04_commutative_tree.cl", plan, predict,
      .article = "CATZ: commutative tree, one stage; GUIDE: TreeReduction1" },
    { "atomic_finish", "04_atomic_finish.cl", plan_atomic, predict_atomic, NEEDS_ATOMICS,
      .article = "PERI: tree reduction; CATZ: atomics finish; PERI-CODE: tree with an "
                 "atomic, never called" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 4, "commutative_tree", 3, variants };
    return step_main(argc, argv, &step);
}
