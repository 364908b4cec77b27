/* 05 multi_stage: begun as the plan of step 04. One launch, whose partials the host combines.
 *
 *   n elements --launch--> one partial for each group --host--> the result
 */
#include "step.h"

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    struct array in = run->elements;

    // TODO: launch again, on the partials of the launch before, until one value is left.
    struct array group_results = partials(run, ceil_div(in.count, group));
    stage(run, in, group_results, group_results.count, group);
    finish_on_host(run, group_results);
    return true;
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
