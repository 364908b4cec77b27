/* 02 atomics
 * Idea     Every work-item combines its element into the same place in memory. An atomic operation
 *          reads the old value, combines, and writes the new value in one indivisible step.
 * Change   (against 01) n work-items replace the loop. They run in any order, so only the atomic
 *          operation prevents a race.
 * Expect   global performs n atomics on one address, so the device executes them one after another.
 *          blocked and strided perform one atomic per work-item, however large n is. local performs
 *          n atomics in local memory (which one group of work-items shares), and one atomic per
 *          group in global memory.
 * Try      --variant all. On some devices blocked is faster, on others strided: why?
 */
#include "step.h"

static void plan(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = ceil_div(reduction->elements.count, group_size);

    add_fill(reduction, reduction->result); // the atomics add to it
    add_stage(reduction, reduction->elements, reduction->result, groups, group_size);
}

static void predict(const struct reduction *reduction, struct stage *stage)
{
    (void)reduction;
    stage->global_atomics = stage->in.count;
}

/* blocked and strided launch only a few work-items, so each work-item combines many elements. */
static void plan_few(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = choose_groups(reduction, 8 * reduction->device->compute_units);

    add_fill(reduction, reduction->result);
    add_stage(reduction, reduction->elements, reduction->result, groups, group_size);
}

static void predict_few(const struct reduction *reduction, struct stage *stage)
{
    (void)reduction;
    stage->chain_length = ceil_div(stage->in.count, stage->groups * stage->group_size);
    stage->global_atomics = stage->groups * stage->group_size;
}

static void predict_local(const struct reduction *reduction, struct stage *stage)
{
    (void)reduction;
    stage->barriers = 2;
    stage->local_atomics = stage->in.count;
    stage->global_atomics = stage->groups;
}

static const struct variant variants[] = {
    { "global", "02_global.cl", plan, predict, NEEDS_ATOMICS,
      .article = "PERI: reductionAtomics1; JIN: reduce_gmem; EIGEN: Max v0; "
                 "GUIDE: ComputeParallel1" },
    { "blocked", "02_blocked.cl", plan_few, predict_few, NEEDS_ATOMICS,
      .article = "PERI: reductionAtomics2" },
    { "strided", "02_strided.cl", plan_few, predict_few, NEEDS_ATOMICS,
      .article = "PERI: reductionAtomics3; JIN-REPO: atomic_reduction" },
    { "local", "02_local.cl", plan, predict_local, NEEDS_ATOMICS, .article = "JIN: reduce_lmem" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 2, "atomics", 1, variants };
    return step_main(argc, argv, &step);
}
