/* 10 subgroup_block_interleaved
 * Idea     Each sub-group walks one contiguous run, its lanes interleaved: neighbours read
 *          neighbours as in 06, and each walks straight on as in 08. One order for every device.
 * Change   (against 09) Only the index and the bounds of the loop; tree and second launch stay.
 * Expect   The same bytes in as many iterations; on CPUs many times faster than 06 and 09, on GPUs
 *          not slower. With one lane it is exactly one contiguous block per work-item.
 * Try      --width 1,2,4,8: are wider block reads better here? --variant plain, then streams, with
 *          --subgroups local:1, 4, 16: how many lanes does this device like?
 */
#include "step.h"

static bool plan(struct run *run)
{
    size_t width = load_width(run, 1), group = group_size(run, 256);
    size_t barriers = tree_barriers(run, group);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    struct array group_results = partials(run, groups);

    if (width * run->plan->lanes == 1)
        order_is_kept(run); // one element after the other, and a tree that keeps the order too
    predict_tree(stage(run, run->elements, group_results, groups, group), width, barriers);
    predict_tree(stage(run, group_results, run->result, 1, group), width, barriers);
    return true;
}

/* One launch, with atomics at its end. */
static struct stage *plan_atomic(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    fill(run, run->result);
    return stage(run, run->elements, run->result, groups, group);
}

static bool plan_vector_tree(struct run *run)
{
    scratch_values(run, load_width(run, 8)); // whole vectors stand in local memory
    struct stage *only = plan_atomic(run);
    predict_tree(only, run->width, ceil_log2(only->group));
    only->global_atomics = only->groups;
    return true;
}

static bool plan_atomic_each(struct run *run)
{
    unsigned width = load_width(run, 8);
    struct stage *only = plan_atomic(run);
    predict_tree(only, width, 0);
    only->global_atomics = only->groups * only->group;
    return true;
}

/* No sub-groups: a group is a table of lanes x runs, with as many lanes as suit the device. */
static bool plan_plain(struct run *run)
{
    size_t group = group_size(run, 256);
    lane_count(run, group);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    struct array group_results = partials(run, groups);

    predict_tree(stage(run, run->elements, group_results, groups, group), 1, ceil_log2(group));
    predict_tree(stage(run, group_results, run->result, 1, group), 1, ceil_log2(group));
    return true;
}

/* On a CPU a group is one run, of at least 2^15 elements where there are several. */
static bool plan_streams(struct run *run)
{
    bool gpu = run->device->gpu;
    size_t width = load_width(run, 4), lanes = lane_count(run, 256);
    size_t group = group_size(run, gpu ? 256 : lanes), barriers = ceil_log2(group);
    uint64_t groups = busy_groups(run, gpu ? 16 * group : 1 << 15, gpu ? 4 : 8);
    struct array group_results = partials(run, groups);

    predict_tree(stage(run, run->elements, group_results, groups, group), 4 * width, barriers);
    predict_tree(stage(run, group_results, run->result, 1, group), 4 * width, barriers);
    return true;
}

int main(int argc, char **argv)
{
    static const struct step step = {
        10,
        "subgroup_block_interleaved",
        9,
        {
            { "block", "10_block_reads.cl", plan, SUB_GROUPS, SOMETIMES },
            { "vector_tree", "10_vector_tree.cl", plan_vector_tree, SUB_GROUPS | ATOMICS,
              .article = "PERI: multiBlockInterleavedReduction; GUIDE: ComputeParallel9" },
            { "atomic_each", "10_atomic_each.cl", plan_atomic_each, SUB_GROUPS | ATOMICS,
              .article = "PERI-CODE: multiBlockInterleavedReduction" },
            { "plain", "10_plain_loads.cl", plan_plain,
              .article = "GUIDE: ComputeParallel6, ComputeParallel7, ComputeParallel8" },
            { "streams", "10_streams.cl", plan_streams },
        },
    };
    return step_main(argc, argv, &step);
}
