/* 08 serial_cpu_groups
 * Idea     On a CPU a group runs on one core, its work-items one after the other: so take one
 *          work-item per group and give it one contiguous block. The host folds the few partials.
 * Change   (against 06) No tree and no local memory at all, and blocks instead of the grid stride.
 * Expect   Each core goes straight through memory: with four vectors as accumulators (vectorised)
 *          a CPU reaches its read limit. A GPU's compute units get eight work-items each: hopeless.
 * Try      --variant all; then --type float --op min, which only the vectorised form can do in
 *          vectors.
 */
#include "step.h"

/* Eight groups for each compute unit: with one each, a core that starts late would make the others
 * wait. Only two if a CPU's groups had fewer than 2^16 elements otherwise, because to hand a group
 * to a core takes as long as to read thousands of elements. */
static uint64_t choose_blocks(struct reduction *reduction)
{
    uint64_t most = 8 * reduction->device->compute_units,
             least = reduction->device->is_gpu ? most : most / 4,
             busy = reduction->elements.count >> 16;
    return choose_groups(reduction, busy < least ? least : busy < most ? busy : most);
}

static void plan(struct reduction *reduction)
{
    uint64_t groups = choose_blocks(reduction);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, 1);
    add_host_finish(reduction, partials);
}

static void plan_one(struct reduction *reduction)
{
    struct array partials = add_array(reduction, 1);

    add_stage(reduction, reduction->elements, partials, 1, 1);
    add_host_finish(reduction, partials);
}

static void predict(const struct reduction *reduction, struct stage *stage)
{
    (void)reduction;
    stage->chain_length = ceil_div(stage->in.count, stage->groups);
}

static void predict_vectorised(const struct reduction *reduction, struct stage *stage)
{
    unsigned accumulators = 4 * reduction->width; // a vector for each quarter of the block
    stage->chain_length = ceil_div(stage->in.count, stage->groups * accumulators);
    stage->tree_depth = ceil_log2(accumulators);
}

static const struct variant variants[] = {
    { "groups", "08_serial_groups.cl", plan, predict, .order = ORDER_IS_KEPT,
      .article = "CATZ: CPU block kernel; GUIDE: ComputeParallel2" },
    { "one_group", "08_serial_groups.cl", plan_one, predict, .order = ORDER_IS_KEPT,
      .article = "CATZ: CPU block kernel, 1 group" },
    { "vectorised", "08_vectorised.cl", plan, predict_vectorised, .width = 16,
      .article = "CATZ: CPU block kernel, vectorised" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 8, "serial_cpu_groups", 6, variants };
    return step_main(argc, argv, &step);
}
