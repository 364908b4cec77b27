/* 03 local_tree
 * Idea     The work-items of a group first combine their elements in local memory, as a tree. Then
 *          the host combines the partial results of the groups.
 * Change   (against 02) One partial result per group replaces one atomic per element. Neighbours
 *          combine, so the order is kept and the operator need not be commutative.
 * Expect   A group of W work-items needs ceil(log2 W) barriers instead of W atomics. (At a barrier
 *          the work-items of a group wait for each other.) The host reads back and combines n / W
 *          partial results.
 * Try      --group 16, then --group 1024. Larger groups write fewer partial results, but their
 *          trees have more rounds. In each further round half as many work-items are active.
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

static const struct variant variants[] = {
    { "associative", "03_local_tree.cl", plan, predict, .order = ORDER_IS_KEPT,
      .article = "CATZ: associative tree, one stage" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 3, "local_tree", 2, variants };
    return step_main(argc, argv, &step);
}
