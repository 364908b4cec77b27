/* 10 subgroup_block_interleaved
 * Idea     Neighbouring lanes read neighbouring elements as in step 06, and each sub-group reads
 *          one contiguous chunk forwards as in step 08. This order of reading suits GPUs and CPUs.
 * Change   (against 09) Only the index and the bounds of the loop. The tree and the second launch
 *          stay the same.
 * Expect   The kernel reads the same bytes in as many iterations. On CPUs it is many times faster
 *          than steps 06 and 09, and on GPUs it is not slower. With one lane per sub-group, each
 *          work-item reads one contiguous block.
 * Try      --width 1,2,4,8; then --variant streams with --subgroups local:1 and with local:4: which
 *          number of lanes is best here?
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
    predict_tree(stage, reduction->width);
    stage->barriers = work_group_barriers(reduction, stage->group_size);
}

static void plan_atomic(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = choose_groups(reduction, 8 * reduction->device->compute_units);

    add_fill(reduction, reduction->result);
    add_stage(reduction, reduction->elements, reduction->result, groups, group_size);
}

static void predict_vector_tree(const struct reduction *reduction, struct stage *stage)
{
    predict_tree(stage, reduction->width);
    stage->barriers = ceil_log2(stage->group_size);
    stage->global_atomics = stage->groups;
}

static void predict_atomic_each(const struct reduction *reduction, struct stage *stage)
{
    predict_tree(stage, reduction->width);
    stage->global_atomics = stage->groups * stage->group_size;
}

static void plan_streams(struct reduction *reduction)
{
    bool gpu = reduction->device->is_gpu; // on a CPU a group has one chunk of >= 2^15 elements
    size_t group_size = choose_group_size(reduction, gpu ? 256 : reduction->lanes);
    uint64_t groups = choose_busy_groups(reduction, gpu ? 16 * group_size : 1 << 15, gpu ? 4 : 8);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, group_size);
    add_stage(reduction, partials, reduction->result, 1, group_size);
}

static void predict_streams(const struct reduction *reduction, struct stage *stage)
{
    predict_tree(stage, 4 * reduction->width); // four streams
    stage->barriers = ceil_log2(stage->group_size);
}

static const struct variant variants[] = {
    { "block", "10_block_reads.cl", plan, predict, NEEDS_SUB_GROUPS, ORDER_IS_KEPT_BY_ONE_LANE,
      .width = 1 },
    { "vector_tree", "10_vector_tree.cl", plan_atomic, predict_vector_tree,
      NEEDS_SUB_GROUPS | NEEDS_ATOMICS, .width = 8, .scratch_is_vectors = true,
      .article = "PERI: multiBlockInterleavedReduction; GUIDE: ComputeParallel9" },
    { "atomic_each", "10_atomic_each.cl", plan_atomic, predict_atomic_each,
      NEEDS_SUB_GROUPS | NEEDS_ATOMICS, .width = 8,
      .article = "PERI-CODE: multiBlockInterleavedReduction" },
    { "plain", "10_plain_loads.cl", plan, predict, NEEDS_TWO_DIMENSIONS,
      .article = "GUIDE: ComputeParallel6, ComputeParallel7, ComputeParallel8" },
    { "streams", "10_streams.cl", plan_streams, predict_streams, NEEDS_TWO_DIMENSIONS, .width = 4 },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 10, "subgroup_block_interleaved", 9, variants };
    return step_main(argc, argv, &step);
}
