/* 02 atomics
 * Idea     Let every work-item combine into one place; atomics make each combination indivisible.
 * Change   (against 01) n work-items, not one loop, in any order: only the atomic keeps them apart.
 * Expect   global: n atomics on one address, serialised. blocked, strided: one for each
 *          work-item, whatever n is. local: n in local memory, and one global for each group.
 * Try      --variant all. Which of blocked and strided wins depends on the device: why?
 */
#include "step.h"

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t n = run->elements.count, groups = ceil_div(n, group);
    fill(run, run->result); // atomics add to what is there
    stage(run, run->elements, run->result, groups, group)->global_atomics = n;
    return true;
}

/* Few work-items, of many elements each: as many for blocked as for strided. */
static bool plan_few(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    fill(run, run->result);
    struct stage *only = stage(run, run->elements, run->result, groups, group);
    only->adds = ceil_div(run->elements.count, groups * group);
    only->global_atomics = groups * group;
    return true;
}

static bool plan_local(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t n = run->elements.count, groups = ceil_div(n, group);
    fill(run, run->result);
    struct stage *only = stage(run, run->elements, run->result, groups, group);
    only->barriers = 2;
    only->local_atomics = n;
    only->global_atomics = groups;
    return true;
}

static const struct variant variants[] = {
    { "global", "02_global.cl", plan, ATOMICS,
      .article = "PERI: reductionAtomics1; JIN: reduce_gmem; EIGEN: Max v0; "
                 "GUIDE: ComputeParallel1" },
    { "blocked", "02_blocked.cl", plan_few, ATOMICS, .article = "PERI: reductionAtomics2" },
    { "strided", "02_strided.cl", plan_few, ATOMICS,
      .article = "PERI: reductionAtomics3; JIN-REPO: atomic_reduction" },
    { "local", "02_local.cl", plan_local, ATOMICS, .article = "JIN: reduce_lmem" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 2, "atomics", 1, variants };
    return step_main(argc, argv, &step);
}
