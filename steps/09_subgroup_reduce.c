/* 09 subgroup_reduce
 * Idea     Lanes of a sub-group (work-items that the hardware runs as one vector) combine without
 *          local memory or barriers. Only one value per sub-group goes through local memory.
 * Change   (against 06) Only the tree: the kernel calls work_group_combine() instead.
 * Expect   With S lanes the tree has log_S W rounds, rounded up, instead of log2 W. Each round
 *          after the first has two barriers. Unless n is small, the tree takes little time.
 * Try      --subgroups local:8, compared with the device's own sub-groups. Then --variant
 *          work_group, which calls OpenCL's built-in function.
 */
#include "step.h"

static void plan(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = choose_groups(reduction, 8 * reduction->device->compute_units);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, group_size);
    add_stage(reduction, partials, reduction->result, 1, group_size);
}

static void predict(const struct reduction *reduction, struct stage *stage)
{
    predict_tree(stage, 1);
    stage->barriers = work_group_barriers(reduction, stage->group_size);
}

static void predict_built_in(const struct reduction *reduction, struct stage *stage)
{
    predict(reduction, stage);
    stage->barriers_unknown = true; // the built-in function may contain barriers
}

/* Each work-item loads one element. The first lane of each sub-group combines the value of its
 * sub-group into the result. */
static void plan_leaders(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = ceil_div(reduction->elements.count, group_size);

    add_fill(reduction, reduction->result);
    add_stage(reduction, reduction->elements, reduction->result, groups, group_size);
}

static void predict_leader_global(const struct reduction *reduction, struct stage *stage)
{
    predict_tree(stage, 1);
    stage->barriers = sub_group_barriers(reduction);
    stage->global_atomics = stage->groups * (stage->group_size / reduction->lanes);
}

static void predict_leader_local(const struct reduction *reduction, struct stage *stage)
{
    predict_leader_global(reduction, stage);
    stage->barriers += 2;
    stage->local_atomics = stage->global_atomics;
    stage->global_atomics = stage->groups;
}

static const struct variant variants[] = {
    { "sub_group", "09_subgroup_reduce.cl", plan, predict, NEEDS_SUB_GROUPS },
    { "work_group", "09_work_group_reduce.cl", plan, predict_built_in, NEEDS_WORK_GROUP_REDUCE,
      .article = "PERI: built-in reduction operator; GUIDE: ComputeParallel5" },
    { "leader_global", "09_leader_global.cl", plan_leaders, predict_leader_global,
      NEEDS_SUB_GROUPS | NEEDS_ATOMICS, .article = "EIGEN: Max v1" },
    { "leader_local", "09_leader_local.cl", plan_leaders, predict_leader_local,
      NEEDS_SUB_GROUPS | NEEDS_ATOMICS, .article = "EIGEN: Max v2" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 9, "subgroup_reduce", 6, variants };
    return step_main(argc, argv, &step);
}
