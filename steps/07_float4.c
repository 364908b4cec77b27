/* 07 float4
 * Idea     Each load reads four neighbouring elements and combines them into four accumulators.
 * Change   (against 06) In the loop, the type value becomes values, a vector. A second loop reads
 *          the last n mod 4 elements one by one.
 * Expect   The kernel needs a quarter of the loads, and each load is four times as wide. So more
 *          bytes are in flight (requested, but not yet here), and a GPU needs many bytes in flight
 *          to keep its memory busy. The tree and the two launches stay the same.
 * Try      --width 1,2,4,8,16: how wide is wide enough? Then --type float --op min.
 *          On a CPU, --group 1 --groups 2: why do two work-items read faster than thousands?
 *          `make picture STEP=07` and `make picture STEP=07 GROUP=1` draw what they read.
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
    predict_tree(stage, reduction->width); // each work-item has `width` accumulators
    stage->barriers = ceil_log2(stage->group_size);
}

/* Each work-item loads one vector, or one of the last n mod width elements. There is no loop. */
static uint64_t count_work_items(const struct reduction *reduction)
{
    uint64_t n = reduction->elements.count, width = reduction->width;
    return n / width + n % width;
}

static void plan_local(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = ceil_div(count_work_items(reduction), group_size);

    add_fill(reduction, reduction->result); // the atomics combine into the result
    add_stage(reduction, reduction->elements, reduction->result, groups, group_size);
}

static void predict_local(const struct reduction *reduction, struct stage *stage)
{
    stage->tree_depth = ceil_log2(reduction->width);
    stage->barriers = 2;
    stage->local_atomics = count_work_items(reduction);
    stage->global_atomics = stage->groups;
}

static const struct variant variants[] = {
    { "vector", "07_float4.cl", plan, predict, .width = 4,
      .article = "CATZ: two-stage, float4; JIN-REPO: _v2, _v4, _v8, _v16 (as --width)" },
    { "fmin", "07_float4.cl", plan, predict, .width = 4, .options = "-D BY_FMIN",
      .article = "CATZ: fmin()" },
    { "min", "07_float4.cl", plan, predict, .width = 4, .options = "-D BY_MIN",
      .nan_is_undefined = true, .article = "CATZ: min()" },
    { "local", "07_local.cl", plan_local, predict_local, NEEDS_ATOMICS, .width = 4,
      .article = "PERI: multiBlockInterleavedReductionVector; PERI-CODE: "
                 "multiBlockInterleavedReductionVector; JIN: reduce_lmem_v2, "
                 "reduce_lmem_v4, reduce_lmem_v8, reduce_lmem_v16 (as --width)" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 7, "float4", 6, variants };
    return step_main(argc, argv, &step);
}
