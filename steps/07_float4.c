/* 07 float4
 * Idea     Wider loads: each brings four neighbouring elements, into four accumulators.
 * Change   (against 06) value becomes values in the loop; a scalar loop takes the last n mod 4
 * elements. Expect   A quarter of the loads, each four times as wide: more bytes under way at any
 * time, which is what a GPU needs to keep its memory busy. The tree and the number of launches
 * stay. Try      --type float --op min beside the default: why does it change so little here, and
 * so much in 08?
 */
#include "step.h"

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    struct array each_group = partials(run, groups);

    predict_tree(stage(run, run->elements, each_group, groups, group), run->variant->width,
                 ceil_log2(group));
    predict_tree(stage(run, each_group, run->result, 1, group), run->variant->width,
                 ceil_log2(group));
    return true;
}

/* One vector for each work-item, no loop: JIN's kernels, with the last n mod width elements taken
 * care of. */
static bool plan_local(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t n = run->elements.count, width = run->variant->width, items = n / width + n % width;

    fill(run, run->result); // atomics combine into it
    struct stage *only = stage(run, run->elements, run->result, ceil_div(items, group), group);
    only->depth = ceil_log2(width);
    only->barriers = 2;
    only->local_atomics = items;
    only->global_atomics = only->groups;
    return true;
}

/* One launch: the group that comes last combines what the groups have left, in an array or in one
 * word. */
static bool plan_last(struct run *run, unsigned groups_per_unit)
{
    size_t group = group_size(run, 256);
    uint64_t groups = busy_groups(run, 16 * group, groups_per_unit);
    struct stage *only = stage(run, run->elements, one_launch(run, groups), groups, group);
    predict_one_launch(run, only, run->variant->width);
    return true;
}
static bool plan_one_launch(struct run *run) { return plan_last(run, 4); }
static bool plan_one_word(struct run *run) { return plan_last(run, 32); }
static bool plan_tiles(struct run *run)
{
    return plan_last(run, 16);
} // runs; more groups than a GPU has at a time

int main(int argc, char **argv)
{
    static const struct step step = {
        7,
        "float4",
        6,
        {
            { "width4", "07_float4.cl", plan, .width = 4,
              .article = "CATZ: two-stage, float4 (JIN-REPO: _v4)" },
            { "width2", "07_float4.cl", plan, .width = 2, .article = "JIN-REPO: _v2" },
            { "width8", "07_float4.cl", plan, .width = 8, .article = "JIN-REPO: _v8" },
            { "width16", "07_float4.cl", plan, .width = 16, .article = "JIN-REPO: _v16" },
            { "width4_fmin", "07_float4.cl", plan, .width = 4, .options = "-D BY_FMIN",
              .article = "CATZ: fmin()" },
            { "width4_min", "07_float4.cl", plan, .width = 4, .options = "-D BY_MIN",
              .drops_no_nan = true, .article = "CATZ: min()" },
            { "one_launch", "07_one_launch.cl", plan_one_launch, .width = 4, .needs = ATOMICS },
            { "one_word", "07_one_launch.cl", plan_one_word, .width = 4, .options = "-D BY_FMIN",
              .needs = ONE_WORD },
            { "tiles_word", "07_tiles.cl", plan_tiles, .width = 4, .options = "-D BY_FMIN",
              .needs = ONE_WORD },
            { "local2", "07_local.cl", plan_local, .width = 2, .needs = ATOMICS,
              .article = "JIN: reduce_lmem_v2" },
            { "local4", "07_local.cl", plan_local, .width = 4, .needs = ATOMICS,
              .article =
                  "JIN: reduce_lmem_v4 = PERI: multiBlockInterleavedReductionVector; PERI-CODE: "
                  "multiBlockInterleavedReductionVector" },
            { "local8", "07_local.cl", plan_local, .width = 8, .needs = ATOMICS,
              .article = "JIN: reduce_lmem_v8" },
            { "local16", "07_local.cl", plan_local, .width = 16, .needs = ATOMICS,
              .article = "JIN: reduce_lmem_v16" },
        },
    };
    return step_main(argc, argv, &step);
}
