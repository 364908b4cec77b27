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

static bool blocks(struct run *run, uint64_t groups, unsigned accumulators)
{
    struct array group_results = partials(run, groups);
    struct stage *blocks = stage(run, run->elements, group_results, groups, 1);

    blocks->adds = ceil_div(run->elements.count, groups * accumulators);
    blocks->depth = ceil_log2(accumulators);
    finish_on_host(run, group_results);
    return true;
}

/* Eight groups per compute unit: with one each, a core that starts late leaves the others waiting.
 * Two where a CPU's groups would have less than 2^16 elements: to hand one to a core takes as long
 * as to read thousands. */
static uint64_t busy_blocks(struct run *run)
{
    uint64_t most = 8 * run->device->compute_units, least = run->device->gpu ? most : most / 4;
    uint64_t busy = run->elements.count >> 16;
    return group_count(run, busy < least ? least : busy < most ? busy : most);
}

static bool plan(struct run *run) { return blocks(run, busy_blocks(run), 1); }

static bool plan_one(struct run *run) { return blocks(run, 1, 1); }

static bool plan_vectorised(struct run *run)
{
    unsigned accumulators = 4 * load_width(run, 16); // of each quarter of the block
    return blocks(run, busy_blocks(run), accumulators);
}

static const struct variant variants[] = {
    { "groups", "08_serial_groups.cl", plan, .keeps_order = ALWAYS,
      .article = "CATZ: CPU block kernel; GUIDE: ComputeParallel2" },
    { "one_group", "08_serial_groups.cl", plan_one, .keeps_order = ALWAYS,
      .article = "CATZ: CPU block kernel, 1 group" },
    { "vectorised", "08_vectorised.cl", plan_vectorised,
      .article = "CATZ: CPU block kernel, vectorised" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 8, "serial_cpu_groups", 6, variants };
    return step_main(argc, argv, &step);
}
