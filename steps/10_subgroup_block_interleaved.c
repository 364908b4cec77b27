/* 10 subgroup_block_interleaved
 * Idea     Each sub-group walks one contiguous run, its lanes interleaved: neighbours read neighbours as in 06, and
 *          each sub-group walks straight on as each group does in 08. One order that suits every device.
 * Change   (against 09) Only the index of the loop; the tree and the second launch stay.
 * Expect   The same bytes in the same number of turns; on CPUs many times faster than 06 and 09, on GPUs as fast.
 *          With one lane it is exactly one contiguous block per work-item.
 * Try      --variant all: are wider block reads better here? --variant plain --subgroups local:4, 8, 16.
 */
#include "step.h"

static bool plan_for(struct run *run, size_t lanes, size_t runs, unsigned barriers)
{
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    struct span each_group = partials(run, groups);

    struct stage *first = stage_2d(run, run->elements, each_group, groups, lanes, runs);
    struct stage *second = stage_2d(run, each_group, run->result, 1, lanes, runs);
    first->adds = ceil_div(run->elements.count, groups * lanes * runs);
    second->adds = ceil_div(groups, lanes * runs);
    first->depth = second->depth = ceil_log2(lanes * runs);
    first->barriers = second->barriers = barriers;
    return true;
}

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    return plan_for(run, group, 1, tree_barriers(run, group));
}

/* A group as a table, lanes x runs: needs no sub-groups, only to know how many lanes suit the device. */
static bool plan_plain(struct run *run)
{
    size_t group = group_size(run, 256), lanes = lane_count(run, group);
    return plan_for(run, lanes, group / lanes, ceil_log2(group));
}

int main(int argc, char **argv)
{
    static const char peri[] = "PERI: multiBlockInterleavedReduction; GUIDE: ComputeParallel9";
    static const struct step step = { 10, "subgroup_block_interleaved", 9, {
        { "block1", "10_block_reads.cl", plan, 1, .needs = SUB_GROUPS },
        { "block2", "10_block_reads.cl", plan, 2, .needs = SUB_GROUPS },
        { "block4", "10_block_reads.cl", plan, 4, .needs = SUB_GROUPS },
        { "block8", "10_block_reads.cl", plan, 8, .needs = SUB_GROUPS, .article = peri },
        { "plain", "10_plain_loads.cl", plan_plain, .width = 1 },
    } };
    return step_main(argc, argv, &step);
}
