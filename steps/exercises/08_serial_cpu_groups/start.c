/* 08 serial_cpu_groups, begun as the plan of step 06: two launches, of groups of many work-items.
 *
 *   n elements --8 groups for each compute unit--> partial results --one group--> the result
 */
#include "step.h"

static void plan(struct reduction *reduction)
{
    // TODO: groups of one work-item; the other half of the task is the kernel beside this file.
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = choose_groups(reduction, 8 * reduction->device->compute_units);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, group_size);
    add_stage(reduction, partials, reduction->result, 1, group_size);
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
