/* 08 serial_cpu_groups: begun as the plan of step 06. Two launches, of groups of many work-items.
 *
 *   n elements --8 groups for each compute unit--> as many partials --one group--> the result
 */
#include "step.h"

static bool plan(struct run *run)
{
    // TODO: groups of one work-item, here; and its part in the kernel beside this file.
    size_t group = group_size(run, 256);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    struct array group_results = partials(run, groups);

    stage(run, run->elements, group_results, groups, group);
    stage(run, group_results, run->result, 1, group);
    return true;
}

static const struct variant variants[] = {
    { "groups", "08_serial_groups.cl", plan },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 8, "serial_cpu_groups", 6, variants };
    return step_main(argc, argv, &step);
}
