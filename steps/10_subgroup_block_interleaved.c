/* 10 subgroup_block_interleaved
 * Idea     Each sub-group walks one contiguous run, its lanes interleaved: neighbours read
 * neighbours as in 06, and each sub-group walks straight on as each group does in 08. One order
 * that suits every device. Change   (against 09) Only the index and the bounds of the loop; the
 * tree and the second launch stay. Expect   The same bytes in the same number of turns; on CPUs
 * many times faster than 06 and 09, on GPUs not slower. With one lane it is exactly one contiguous
 * block per work-item. Try      --variant all: are wider block reads better here? --variant plain
 * --subgroups local:4, 8, 16.
 */
#include "step.h"

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256), width = run->variant->width;
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    struct array each_group = partials(run, groups);

    if (width * sub_group_lanes(run, group) == 1)
        order_is_kept(run); // one element after the other, and a tree that keeps the order too
    predict_tree(stage(run, run->elements, each_group, groups, group), width,
                 tree_barriers(run, group));
    predict_tree(stage(run, each_group, run->result, 1, group), width, tree_barriers(run, group));
    return true;
}

/* The same, but a group is a table of lanes x runs: no sub-groups needed, only how many lanes suit
 * the device. */
static bool plan_plain(struct run *run)
{
    size_t group = group_size(run, 256), lanes = lane_count(run, group), runs = group / lanes;
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    struct array each_group = partials(run, groups);

    predict_tree(stage_2d(run, run->elements, each_group, groups, lanes, runs), 1,
                 ceil_log2(group));
    predict_tree(stage_2d(run, each_group, run->result, 1, lanes, runs), 1, ceil_log2(group));
    return true;
}

/* One launch: the groups, or all work-items, finish with atomics. */
static bool plan_atomic(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    bool tree = run->variant->scratch > 1;

    fill(run, run->result);
    struct stage *only = stage(run, run->elements, run->result, groups, group);
    predict_tree(only, run->variant->width, tree ? ceil_log2(group) : 0);
    only->global_atomics = tree ? groups : groups * group;
    return true;
}

/* One launch; the last group ends it. CPUs: a group is a run, one for each 2^15. Tiles: more than
 * run at once. */
static bool plan_one_launch(struct run *run)
{
    bool tiles = run->variant->needs & SUB_GROUPS, single = !tiles && !run->device->gpu;
    size_t group = group_size(run, single ? lane_count(run, 256) : 256),
           lanes = tiles ? group : lane_count(run, group);
    uint64_t groups = busy_groups(run, single ? 1 << 15 : 16 * group, tiles ? 16 : single ? 8 : 4);
    struct stage *only =
        tiles ? stage(run, run->elements, one_launch(run, groups), groups, group)
              : stage_2d(run, run->elements, one_launch(run, groups), groups, lanes, group / lanes);
    predict_one_launch(run, only, tiles ? run->variant->width : 4 * run->variant->width);
    return true;
}

int main(int argc, char **argv)
{
    static const struct step step = {
        10,
        "subgroup_block_interleaved",
        9,
        {
            { "block1", "10_block_reads.cl", plan, 1, .needs = SUB_GROUPS,
              .keeps_order = SOMETIMES },
            { "block2", "10_block_reads.cl", plan, 2, .needs = SUB_GROUPS },
            { "block4", "10_block_reads.cl", plan, 4, .needs = SUB_GROUPS },
            { "block8", "10_block_reads.cl", plan, 8, .needs = SUB_GROUPS },
            { "vector_tree", "10_vector_tree.cl", plan_atomic, .width = 8, .scratch = 8,
              .needs = SUB_GROUPS | ATOMICS,
              .article = "PERI: multiBlockInterleavedReduction; GUIDE: ComputeParallel9" },
            { "atomic_each", "10_atomic_each.cl", plan_atomic, .width = 8,
              .needs = SUB_GROUPS | ATOMICS,
              .article = "PERI-CODE: multiBlockInterleavedReduction" },
            { "one_launch", "10_one_launch.cl", plan_one_launch, .width = 4, .needs = ATOMICS },
            { "tiles", "07_tiles.cl", plan_one_launch, .width = 4, .needs = SUB_GROUPS | ATOMICS },
            { "tiles_word", "07_tiles.cl", plan_one_launch, .width = 4, .options = "-D BY_FMIN",
              .needs = SUB_GROUPS | ONE_WORD },
            { "plain", "10_plain_loads.cl", plan_plain, .width = 1,
              .article = "GUIDE: ComputeParallel6, ComputeParallel7, ComputeParallel8" },
        },
    };
    return step_main(argc, argv, &step);
}
