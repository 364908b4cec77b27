/* 11 single_pass: one launch, as in step 11, but the kernel reads its elements as in step 06.
 *
 *   out   the result | a value of each group | a counter of groups
 */
#include "step.h"

static void plan(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = choose_busy_groups(reduction, 16 * group_size, 4);

    add_counter(reduction, groups);
    add_stage(reduction, reduction->elements, reduction->result, groups, group_size);
}

int main(int argc, char **argv)
{
    const struct variant variants[] = { { "single_pass",
                                          "./steps/exercises/11_single_pass/solution.cl", plan,
                                          .needs = NEEDS_ATOMICS },
                                        { NULL } };
    const struct step step = { 11, "single_pass", 6, variants, &operation_sum_int };
    return step_main(argc, argv, &step);
}
