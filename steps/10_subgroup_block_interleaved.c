/* 10 subgroup_block_interleaved
 * Idea     Each sub-group walks one contiguous run, its lanes interleaved: neighbours read
 *          neighbours as in 06, and each walks straight on as in 08. One order for every device.
 * Change   (against 09) Only the index and the bounds of the loop; tree and second launch stay.
 * Expect   The same bytes in as many iterations; on CPUs many times faster than 06 and 09, on GPUs
 *          not slower. With one lane it is exactly one contiguous block per work-item.
 * Try      --width 1,2,4,8; then --variant streams with --subgroups local:1, local:4: what is best?
 */
#include "step.h"

static bool plan(struct run *run)
{
    size_t width = load_width(run, 1), group = group_size(run, 256);
    return two_launches(run, group_count(run, 8 * run->device->compute_units), group, width);
}

static bool plan_atomic(struct run *run, bool tree) // one atomic for each group, or each work-item
{
    scratch_values(run, load_width(run, 8)); // the tree is one of vectors
    size_t group = group_size(run, 256), groups = group_count(run, 8 * run->device->compute_units);
    fill(run, run->result);
    struct stage *only = stage(run, run->elements, run->result, groups, group);
    predict_tree(only, run->width, tree ? ceil_log2(group) : 0);
    only->global_atomics = tree ? groups : groups * group;
    return true;
}
static bool plan_vector_tree(struct run *run) { return plan_atomic(run, true); }
static bool plan_atomic_each(struct run *run) { return plan_atomic(run, false); }

static bool plan_plain(struct run *run) // no sub-groups: the same order by ordinary loads
{
    size_t group = group_size(run, 256);
    return two_launches(run, group_count(run, 8 * run->device->compute_units), group, 1);
}

static bool plan_streams(struct run *run)
{
    bool gpu = run->device->gpu; // on a CPU a group is one run, of 2^15 elements or more
    size_t width = load_width(run, 4), group = group_size(run, gpu ? 256 : run->lanes);
    uint64_t groups = busy_groups(run, gpu ? 16 * group : 1 << 15, gpu ? 4 : 8);
    return two_launches(run, groups, group, 4 * width); // four streams
}

static const struct variant variants[] = {
    { "block", "10_block_reads.cl", plan, SUB_GROUPS, IN_ONE_LANE },
    { "vector_tree", "10_vector_tree.cl", plan_vector_tree, SUB_GROUPS | ATOMICS,
      .article = "PERI: multiBlockInterleavedReduction; GUIDE: ComputeParallel9" },
    { "atomic_each", "10_atomic_each.cl", plan_atomic_each, SUB_GROUPS | ATOMICS,
      .article = "PERI-CODE: multiBlockInterleavedReduction" },
    { "plain", "10_plain_loads.cl", plan_plain, LANES_X_RUNS,
      .article = "GUIDE: ComputeParallel6, ComputeParallel7, ComputeParallel8" },
    { "streams", "10_streams.cl", plan_streams, LANES_X_RUNS },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 10, "subgroup_block_interleaved", 9, variants };
    return step_main(argc, argv, &step);
}
