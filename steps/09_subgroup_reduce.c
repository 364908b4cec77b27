/* 09 subgroup_reduce
 * Idea     Let the hardware combine across lanes: without local memory and without barriers.
 * Change   (against 06) Only the tree: sub_group_combine, then one value of each by local memory.
 * Expect   With S lanes a tree of S branches: log_S W rounds instead of log2 W, two barriers each.
 *          With many elements per work-item the tree is a small part: it shows at small n only.
 * Try      --subgroups local:8 beside the device's own; --variant work_group: OpenCL's built-in.
 */
#include "step.h"

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    return two_launches(run, groups, group, 1); // as 06 does
}

/* One element per work-item; the first lane of each sub-group takes its value to the result. */
static struct stage *leaders(struct run *run)
{
    size_t group = group_size(run, 256), groups = ceil_div(run->elements.count, group);
    fill(run, run->result);
    struct stage *only = stage(run, run->elements, run->result, groups, group);
    predict_tree(only, 1, sub_group_barriers(run));
    only->global_atomics = groups * (group / run->lanes);
    return only;
}

static bool plan_leader_global(struct run *run) { return leaders(run) != NULL; }

static bool plan_leader_local(struct run *run) // one hop more
{
    struct stage *only = leaders(run);
    only->barriers += 2;
    only->local_atomics = only->global_atomics;
    only->global_atomics = only->groups;
    return true;
}

static const struct variant variants[] = {
    { "sub_group", "09_subgroup_reduce.cl", plan, SUB_GROUPS },
    { "work_group", "09_work_group_reduce.cl", plan, WORK_GROUP_REDUCE,
      .article = "PERI: built-in reduction operator; GUIDE: ComputeParallel5" },
    { "leader_global", "09_leader_global.cl", plan_leader_global, SUB_GROUPS | ATOMICS,
      .article = "EIGEN: Max v1" },
    { "leader_local", "09_leader_local.cl", plan_leader_local, SUB_GROUPS | ATOMICS,
      .article = "EIGEN: Max v2" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 9, "subgroup_reduce", 6, variants };
    return step_main(argc, argv, &step);
}
