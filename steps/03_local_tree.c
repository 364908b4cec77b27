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

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    struct array group_results = partials(run, ceil_div(run->elements.count, group));

    predict_tree(stage(run, run->elements, group_results, group_results.count, group), 1,
                 ceil_log2(group));
    finish_on_host(run, group_results);
    return true;
}

static const struct variant variants[] = {
    { "associative", "03_local_tree.cl", plan, .keeps_order = ALWAYS,
      .article = "CATZ: associative tree, one stage" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 3, "local_tree", 2, variants };
    return step_main(argc, argv, &step);
}
