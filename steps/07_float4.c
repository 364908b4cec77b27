/* 07 float4
 * Idea     Wider loads: each brings four neighbouring elements, into four accumulators.
 * Change   (against 06) value becomes values in the loop; a scalar loop takes the last n mod 4.
 * Expect   A quarter of the loads, each four times as wide: more bytes in flight at any time, which
 *          is what a GPU needs to keep its memory busy. The tree and the two launches stay.
 * Try      --width 1,2,4,8,16: how wide is wide enough? Then --type float --op min: why does it
 *          change so little here, and so much in 08?
 */
#include "step.h"

static bool plan(struct run *run)
{
    size_t width = load_width(run, 4), group = group_size(run, 256);
    uint64_t groups = group_count(run, 8 * run->device->compute_units);
    return two_launches(run, groups, group, width); // as 06 does, of so many accumulators each
}

/* One vector for each work-item, no loop; and one of the last n mod width elements for each. */
static bool plan_local(struct run *run)
{
    size_t width = load_width(run, 4), group = group_size(run, 256);
    uint64_t n = run->elements.count, items = n / width + n % width;

    fill(run, run->result); // atomics combine into it
    struct stage *only = stage(run, run->elements, run->result, ceil_div(items, group), group);
    only->depth = ceil_log2(width);
    only->barriers = 2;
    only->local_atomics = items;
    only->global_atomics = only->groups;
    return true;
}

static const struct variant variants[] = {
    { "vector", "07_float4.cl", plan,
      .article = "CATZ: two-stage, float4; JIN-REPO: _v2, _v4, _v8, _v16 (as --width)" },
    { "fmin", "07_float4.cl", plan, .options = "-D BY_FMIN", .article = "CATZ: fmin()" },
    { "min", "07_float4.cl", plan, .options = "-D BY_MIN", .drops_no_nan = true,
      .article = "CATZ: min()" },
    { "local", "07_local.cl", plan_local, ATOMICS,
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
