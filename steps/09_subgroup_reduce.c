/* 09 subgroup_reduce
 * Idea     Let the hardware combine across lanes: those of a sub-group need neither local memory
 * nor barriers. Change   (against 06) Only the tree: sub_group_combine first, then one value per
 * sub-group through local memory. Expect   With S lanes a tree of S branches: log_S W rounds
 * instead of log2 W, two barriers between each. With many elements per work-item the tree is a
 * small part of the time, so it shows at small n only. Try      --subgroups local:8 beside the
 * device's own; --variant work_group: OpenCL's built-in does all of it.
 */
#include "step.h"

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    struct array each_group = partials(run, groups);

    predict_tree(stage(run, run->elements, each_group, groups, group), 1,
                 tree_barriers(run, group));
    predict_tree(stage(run, each_group, run->result, 1, group), 1, tree_barriers(run, group));
    return true;
}

/* One element per work-item, and atomics: the first lane of each sub-group takes its value to the
 * result, straight away or by way of local memory. */
static struct stage *plan_each(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = ceil_div(run->elements.count, group);

    fill(run, run->result);
    struct stage *only = stage(run, run->elements, run->result, groups, group);
    predict_tree(only, 1, sub_group_barriers(run));
    only->global_atomics = groups * (group / sub_group_lanes(run, group));
    return only;
}

static bool plan_leader_global(struct run *run) { return plan_each(run) != NULL; }

static bool plan_leader_local(struct run *run)
{
    struct stage *only = plan_each(run);
    only->barriers += 2;
    only->local_atomics = only->global_atomics; // one hop more
    only->global_atomics = only->groups;
    return true;
}

/* One launch: the group that comes last combines what the groups have left, in an array or in one
 * word. */
static bool plan_one_launch(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = busy_groups(run, 16 * group, run->variant->needs & ONE_WORD ? 32 : 4);
    struct stage *only = stage(run, run->elements, one_launch(run, groups), groups, group);
    predict_one_launch(run, only, run->variant->width);
    return true;
}

/* One group has no others to meet: all that a few thousand elements need. (Step 08's is a single
 * work-item.) */
static bool plan_one_group(struct run *run)
{
    size_t group = group_size(run, 256);

    predict_tree(stage(run, run->elements, run->result, 1, group), run->variant->width,
                 tree_barriers(run, group));
    return true;
}

int main(int argc, char **argv)
{
    static const struct step step = {
        9,
        "subgroup_reduce",
        6,
        {
            { "sub_group", "09_subgroup_reduce.cl", plan, .needs = SUB_GROUPS },
            { "work_group", "09_work_group_reduce.cl", plan, .needs = WORK_GROUP_REDUCE,
              .article = "PERI: built-in reduction operator; GUIDE: ComputeParallel5" },
            { "leader_global", "09_leader_global.cl", plan_leader_global,
              .needs = SUB_GROUPS | ATOMICS, .article = "EIGEN: Max v1, RowSum v1" },
            { "leader_local", "09_leader_local.cl", plan_leader_local,
              .needs = SUB_GROUPS | ATOMICS, .article = "EIGEN: Max v2, RowSum v2" },
            { "one_launch", "07_one_launch.cl", plan_one_launch, .width = 4,
              .needs = SUB_GROUPS | ATOMICS },
            { "one_word", "07_one_launch.cl", plan_one_launch, .width = 4, .options = "-D BY_FMIN",
              .needs = SUB_GROUPS | ONE_WORD },
            { "one_group", "09_one_group.cl", plan_one_group, .width = 4, .options = "-D BY_FMIN",
              .needs = SUB_GROUPS },
        },
    };
    return step_main(argc, argv, &step);
}
