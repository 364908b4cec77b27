/* 03 local_tree
 * Idea     Combine inside the group first, as a tree in local memory; the host finishes what the
 *          groups leave.
 * Change   (against 02) One partial result for each group instead of one atomic for each element.
 *          Neighbours pair up: the order is kept, and the operator need not be commutative.
 * Expect   In groups of W: ceil(log2 W) barriers instead of W atomics, and n / W partial results
 *          for the host to read back and combine.
 * Try      --group 16, then 1024: fewer partial results, but more rounds, in which fewer and fewer
 *          work-items work.
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
