/* 05 multi_stage
 * Idea     Run the tree again on its partial results until one value remains. This needs neither
 *          atomics nor the host.
 * Change   (against 04) plan has a loop of launches. The kernels are those of steps 04 and 03.
 * Expect   With groups of W: ceil(log_W n) launches. Each writes 1/W of the values that it reads.
 * Try      --n 2^12,2^16,2^20,2^24: from which n on do the extra launches no longer matter?
 */
#include "step.h"

static bool can_end(struct reduction *reduction, size_t group_size)
{
    if (group_size == 1 && reduction->elements.count > 1)
        unsupported(reduction, "groups of one work-item never reduce the number of values");
    return reduction->state == PLAN_READY;
}

static void plan(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    struct array in = reduction->elements;

    if (!can_end(reduction, group_size))
        return;
    while (in.count > group_size) {
        uint64_t groups = ceil_div(in.count, group_size);
        struct array partials = add_array(reduction, groups);
        add_stage(reduction, in, partials, groups, group_size);
        in = partials;
    }
    add_stage(reduction, in, reduction->result, 1, group_size);
}

static void predict(const struct reduction *reduction, struct stage *stage)
{
    (void)reduction;
    stage->chain_length = 1;
    stage->tree_depth = ceil_log2(stage->group_size);
    stage->barriers = stage->tree_depth;
}

/* Codeplay's sample uses the largest groups. Here two arrays take turns, but the sample writes into
 * the array that it reads, so a group may overwrite values before another group reads them. */
static void plan_baseline(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, reduction->device->largest_group);
    uint64_t groups = ceil_div(reduction->elements.count, group_size);
    struct array in = reduction->elements;
    struct array partials[2] = { add_array(reduction, groups), add_array(reduction, groups) };

    if (!can_end(reduction, group_size))
        return;
    for (int turn = 0; in.count > group_size; turn = !turn) {
        groups = partials[turn].count = ceil_div(in.count, group_size);
        add_stage(reduction, in, partials[turn], groups, group_size);
        in = partials[turn];
    }
    add_stage(reduction, in, reduction->result, 1, group_size);
}

static const struct variant variants[] = {
    { "commutative", "04_commutative_tree.cl", plan, predict,
      .article = "CATZ: recursive multi-stage, commutative; GUIDE: TreeReduction2; "
                 "PERI-CODE: tree into a buffer, never called" },
    { "associative", "03_local_tree.cl", plan, predict, .order = ORDER_IS_KEPT,
      .article = "CATZ: recursive multi-stage, associative" },
    { "baseline", "04_commutative_tree.cl", plan_baseline, predict,
      .article = "CODEPLAY: reduction sample = JIN: reduce_baseline" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 5, "multi_stage", 4, variants };
    return step_main(argc, argv, &step);
}
