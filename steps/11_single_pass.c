/* 11 single_pass
 * Idea     One launch: each group leaves its result and counts itself; the one that arrives last
 *          finds all others counted, and finishes.
 * Change   (against 10 streams) Only the end of the kernel: last_group.clh takes the place of the
 *          second launch.
 * Expect   Half the launches, three atomics for each group instead. Some microseconds are won at
 *          n = 2^12, where one group does all, less where groups meet, nothing to see at 2^28.
 * Try      --sweep 2^10..2^26 beside ./step10 --variant streams: where does it cease to matter?
 *          On a GPU --variant all: which map is best at small n, which at large n?
 */
#include "step.h"

static bool plan(struct run *run)
{
    bool gpu = run->device->gpu;
    size_t width = load_width(run, 4), group = group_size(run, gpu ? 256 : run->lanes);
    uint64_t groups = busy_groups(run, gpu ? 16 * group : 1 << 15, gpu ? 4 : 8);
    return one_launch(run, groups, group, 4 * width);
}

/* Tiles for each group, in turn. There are more groups than run at a time, so that groups which end
 * early are replaced by others. */
static bool plan_tiles(struct run *run)
{
    size_t width = load_width(run, 4), group = group_size(run, 256);
    return one_launch(run, busy_groups(run, 16 * group, 32), group, width);
}

static const struct variant variants[] = {
    { "streams", "11_streams.cl", plan, LANES_X_RUNS | ATOMICS },
    { "tiles", "11_tiles.cl", plan_tiles, SUB_GROUPS | ONE_WORD, .options = "-D BY_FMIN" },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 11, "single_pass", 10, variants };
    return step_main(argc, argv, &step);
}
