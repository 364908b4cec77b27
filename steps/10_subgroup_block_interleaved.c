/* 10 subgroup_block_interleaved
 * Idea     Neighbouring lanes read neighbouring elements as in step 06: all lanes together read a
 *          row. A sub-group reads batches of rows, with four loads in flight at a time. The same
 *          text serves every device. On a GPU a batch has four rows. On a CPU a batch has all rows
 *          of its sub-group, so it is a contiguous chunk, as the block of a work-item in step 08.
 * Change   (against 09) The order of reading, four accumulators, and fewer work-items. The tree
 *          and the second launch stay the same.
 * Expect   The kernel reads the same bytes. On CPUs it is many times as fast as steps 06 and
 *          09, and on GPUs it is as fast as step 07. With one lane per sub-group on a CPU, each
 *          work-item reads one contiguous chunk.
 * Try      --width 1,2,4,8; then --subgroups local:1 and local:4: which number of lanes is best
 *          on your device? Then --variant plain, which reads chunks on every device. On a GPU
 *          --groups with 2, 4, 8 and 16 times the compute units, which --list shows.
 */
#include "step.h"

static void plan(struct reduction *reduction)
{
    bool gpu = reduction->device->is_gpu; // on a CPU a group is one sub-group with a long chunk
    size_t group_size = choose_group_size(reduction, gpu ? 256 : reduction->lanes);
    uint64_t groups = choose_busy_groups(reduction, gpu ? 16 * group_size : 1 << 15, gpu ? 4 : 8);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, group_size);
    add_stage(reduction, partials, reduction->result, 1, group_size);
}

static void predict(const struct reduction *reduction, struct stage *stage)
{
    predict_tree(stage, 4 * reduction->width); // accumulators
    stage->barriers = work_group_barriers(reduction, stage->group_size);
}

static void plan_chunks(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = choose_groups(reduction, 8 * reduction->device->compute_units);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, group_size);
    add_stage(reduction, partials, reduction->result, 1, group_size);
}

static void predict_chunks(const struct reduction *reduction, struct stage *stage)
{
    predict_tree(stage, 1);
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

static const struct variant variants[] = {
    { "block", "10_block_reads.cl", plan, predict, NEEDS_SUB_GROUPS, ORDER_IS_KEPT_BY_ONE_LANE,
      .width = 4, .batch = 4 },
    { "vector_tree", "10_vector_tree.cl", plan_atomic, predict_vector_tree,
      NEEDS_SUB_GROUPS | NEEDS_ATOMICS, .width = 8, .scratch_is_vectors = true,
      .article = "PERI: multiBlockInterleavedReduction; GUIDE: ComputeParallel9" },
    { "atomic_each", "10_atomic_each.cl", plan_atomic, predict_atomic_each,
      NEEDS_SUB_GROUPS | NEEDS_ATOMICS, .width = 8,
      .article = "PERI-CODE: multiBlockInterleavedReduction" },
    { "plain", "10_plain_loads.cl", plan_chunks, predict_chunks, NEEDS_TWO_DIMENSIONS,
      .article = "GUIDE: ComputeParallel6, ComputeParallel7, ComputeParallel8" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 10, "subgroup_block_interleaved", 9, variants };
    return step_main(argc, argv, &step);
}
