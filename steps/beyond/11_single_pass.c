/* 11 single_pass
 * Idea     One launch: each group writes its value and counts itself. The group that arrives last
 *          finds that all other groups have arrived, and combines all values.
 * Change   (against 10) Only the end of the kernel: last_group.clh replaces the second launch.
 * Expect   One launch instead of two, but three atomics per group. At n = 2^12 this saves some
 *          microseconds, because one group combines everything, and on a GPU also if several groups
 *          have to count themselves. From 2^27 on it saves at most a few percent.
 * Try      --sweep 2^10..2^26, and the same with ./step10: from which n on are both equally fast?
 *          Then the sweep with --variant all. The groups of `word` combine their values in the
 *          word that also counts them: up to which n, if any, is this faster than an array?
 */
#include "step.h"

static void plan(struct reduction *reduction)
{
    bool gpu = reduction->device->is_gpu;
    size_t group_size = choose_group_size(reduction, gpu ? 256 : reduction->lanes);
    uint64_t groups = choose_busy_groups(reduction, gpu ? 16 * group_size : 1 << 15, gpu ? 4 : 8);

    add_counter(reduction, groups); // each group writes its value there; the last one reads all
    add_stage(reduction, reduction->elements, reduction->result, groups, group_size);
}

static void predict(const struct reduction *reduction, struct stage *stage)
{
    predict_tree(stage, 4 * reduction->width); // accumulators
    stage->barriers = work_group_barriers(reduction, stage->group_size);
    stage->barriers_unknown = stage->groups > 1; // the last group waits more often than the others
    stage->global_atomics = stage->groups > 1 ? 3 * stage->groups + 1 : 0;
}

static void plan_word(struct reduction *reduction)
{
    bool gpu = reduction->device->is_gpu;
    size_t group_size = choose_group_size(reduction, gpu ? 256 : reduction->lanes);
    uint64_t groups = choose_busy_groups(reduction, gpu ? 16 * group_size : 1 << 15, gpu ? 4 : 8);

    add_counter(reduction, 1); // one word holds the combined value and the number of arrived groups
    add_stage(reduction, reduction->elements, reduction->result, groups, group_size);
}

static void predict_word(const struct reduction *reduction, struct stage *stage)
{
    bool adds = reduction->problem.operation->adds;
    predict_tree(stage, 4 * reduction->width); // accumulators
    stage->barriers = work_group_barriers(reduction, stage->group_size);
    if (stage->groups > 1)
        stage->global_atomics = adds ? stage->groups + 1 : 2 * stage->groups + 2;
}

static const struct variant variants[] = {
    { "counter", "beyond/11_counter.cl", plan, predict, NEEDS_SUB_GROUPS | NEEDS_ATOMICS,
      .width = 4, .batch = 4 },
    { "word", "beyond/11_word.cl", plan_word, predict_word, NEEDS_SUB_GROUPS | NEEDS_ONE_WORD,
      .width = 4, .batch = 4 },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 11, "single_pass", 10, variants };
    return step_main(argc, argv, &step);
}
