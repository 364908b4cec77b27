/* 05 multi_stage, begun as the plan of step 04: one launch, and the host combines its partial
 * results.
 *
 *   n elements --launch--> one partial result for each group --host--> the result
 */
#include "step.h"

static void plan(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    struct array in = reduction->elements;

    // TODO: launch again, on the partial results of the previous launch, until one value is left.
    uint64_t groups = ceil_div(in.count, group_size);
    struct array partials = add_array(reduction, groups);
    add_stage(reduction, in, partials, groups, group_size);
    add_host_finish(reduction, partials);
}

static const struct variant variants[] = {
    { "commutative", "04_commutative_tree.cl", plan },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 5, "multi_stage", 4, variants };
    return step_main(argc, argv, &step);
}
