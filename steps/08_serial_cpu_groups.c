/* 08 serial_cpu_groups
 * Idea     A CPU runs the work-items of a group one after another on one core. Therefore each group
 *          has one work-item, which reads one contiguous block. The host combines the few partial
 *          results.
 * Change   (against 06) The kernel has no tree and uses no local memory. Contiguous blocks replace
 *          the grid stride.
 * Expect   Each core reads memory forwards. With four vectors as accumulators (vectorised) a CPU
 *          comes near its read limit, the rate of a program that only reads the same bytes. A GPU
 *          is slow here, because each compute unit has only eight work-items.
 * Try      --variant all; then --type float --op min. Why is only vectorised fast there?
 */
#include "step.h"

/* Eight groups per compute unit. With one group per compute unit, the other cores would wait for a
 * core that starts late. On a CPU there are fewer groups, but at least two per compute unit, if a
 * group would have fewer than 2^16 elements otherwise. The reason is that handing a group to a core
 * takes as long as reading thousands of elements. */
static uint64_t choose_blocks(struct reduction *reduction)
{
    uint64_t units = reduction->device->compute_units, most = 8 * units,
             least = reduction->device->is_gpu ? most : 2 * units,
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
