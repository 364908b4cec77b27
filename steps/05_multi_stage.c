/* 05 multi_stage
 * Idea     Run the tree again on its own results, until one is left: neither atomics nor host.
 * Change   (against 04) One more loop here; the kernels are those of 04 and 03.
 * Expect   In groups of W: ceil(log_W n) launches. Each reads a W-th of what the last one read, so
 *          that the first has nearly all of the work.
 * Try      --n 2^12,2^16,2^20,2^24: from which n on do the extra launches no longer matter?
 */
#include "step.h"

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    struct array in = run->elements;

    if (group == 1 && in.count > 1)
        return unsupported(run, "groups of one work-item never leave fewer values than they get");
    while (in.count > group) {
        struct array group_results = partials(run, ceil_div(in.count, group));
        predict_tree(stage(run, in, group_results, group_results.count, group), 1,
                     ceil_log2(group));
        in = group_results;
    }
    predict_tree(stage(run, in, run->result, 1, group), 1, ceil_log2(group));
    return true;
}

/* Codeplay's: groups as large as they get, and two arrays in turn. (It writes into the array that
 * it reads, where a group may overwrite what another has yet to read.) */
static bool plan_baseline(struct run *run)
{
    size_t group = group_size(run, run->device->group_limit);
    uint64_t most = ceil_div(run->elements.count, group);
    struct array in = run->elements, two[2] = { partials(run, most), partials(run, most) };
    if (group == 1 && in.count > 1)
        return unsupported(run, "groups of one work-item never leave fewer values than they get");
    for (int turn = 0; in.count > group; in = two[turn], turn = !turn) {
        two[turn].count = ceil_div(in.count, group);
        predict_tree(stage(run, in, two[turn], two[turn].count, group), 1, ceil_log2(group));
    }
    predict_tree(stage(run, in, run->result, 1, group), 1, ceil_log2(group));
    return true;
}

static const struct variant variants[] = {
    { "commutative", "04_commutative_tree.cl", plan,
      .article = "CATZ: recursive multi-stage, commutative; GUIDE: TreeReduction2; "
                 "PERI-CODE: tree into a buffer, never called" },
    { "associative", "03_local_tree.cl", plan, .keeps_order = ALWAYS,
      .article = "CATZ: recursive multi-stage, associative" },
    { "baseline", "04_commutative_tree.cl", plan_baseline,
      .article = "CODEPLAY: reduction sample = JIN: reduce_baseline" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 5, "multi_stage", 4, variants };
    return step_main(argc, argv, &step);
}
