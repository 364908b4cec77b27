/* One row: nothing is timed that has not been right before, and no time is kept unless it is right
 * again after. */
#include "measure.h"

#include <stdlib.h>

enum { MOST = 4096, NOISY = 2 }; // repetitions; p90 / min above which a row is marked

static double percent(double part, double whole) { return 100 * part / whole; }

/* The columns that are known before anything has run. */
static void describe(const struct run *run, struct row *row)
{
    const struct plan *plan = run->plan;
    row->n = run->elements.count;
    row->bytes = row->n * run->operation->element_bytes;
    row->width = run->width;
    row->lanes = plan->lanes ? plan->lanes : 1;
    row->backend = plan->asked & ASKED_LANES
                       ? (run->variant->needs & SUB_GROUPS ? plan->back_end.name : "plain")
                       : "none";
    for (int i = 0; i < plan->stage_count; i++)
        row->launches += plan->stages[i].kind == LAUNCH || plan->stages[i].kind == FILL;
    const struct stage *first = first_launch(plan);
    row->groups = first ? first->groups : 0;
    row->group = first ? first->group : 0;
}

bool measure(const struct run *run, const struct input *input, struct limit *limit,
             struct rules rules, struct row *row, char why[400])
{
    static double kernel[MOST], span[MOST], wall[MOST], read[MOST], empty[MOST];
    const struct device clocked = device_profiled(run->device);
    const bool apart = clocked.queue != run->device->queue;
    struct run profiled = *run;
    double again;
    size_t count = 0;

    profiled.device = &clocked;
    *row = (struct row) { 0 };
    describe(run, row);
    if (!verified(run, input, wall, why))
        return false;
    reduce_once(run, &row->result); // the warm-up; the verified run before it compiled and paged in
                                    // what was missing
    limit_choose(limit, run->elements, row->bytes);
    limit_empty_launch(limit);

    // In turn, so that a machine that slows down slows all of them down. A very slow kernel gets
    // three turns.
    for (double start = now(), spent = 0;; spent = now() - start) {
        size_t at = count % MOST; // of very many, the last ones are kept
        bool enough = count >= rules.repetitions && spent >= rules.seconds;
        bool too_slow = !rules.repetitions_given && rules.seconds > 0 && count >= 3 &&
                        spent >= 4 * rules.seconds;
        if (enough || too_slow)
            break;
        limit_evict(limit);
        limit_hold(limit);
        struct times times = reduce_once(&profiled, &row->result);
        if (!same_value(run, &row->result, input, why))
            return false;
        if (apart) { // once more, without what the device's clock adds to the wall time
            limit_evict(limit);
            times.wall = reduce_once(run, &row->result).wall;
            if (!same_value(run, &row->result, input, why))
                return false;
        }
        kernel[at] = times.kernel;
        span[at] = times.span;
        wall[at] = times.wall;
        limit_evict(limit);
        read[at] = limit_read(limit, run->elements, row->bytes);
        limit_evict(limit);
        empty[at] = limit_empty_launch(limit);
        count++;
    }
    // Once more with poison everywhere: the timed repetitions found the results of those before
    // them.
    if (!verified(run, input, &again, why) || !input_untouched(run, input, why))
        return false;

    row->repetitions = count;
    count = count < MOST ? count : MOST;
    row->kernel = statistics(kernel, count);
    row->span = statistics(span, count);
    row->wall = statistics(wall, count);
    row->limit = statistics(read, count).median;
    row->misread = limit->shape < 0;
    row->empty = statistics(empty, count).median;
    row->gbps = 1e-9 * row->bytes / row->wall.median;
    row->limit_gbps = 1e-9 * row->bytes / row->limit;
    row->percent_of_limit = percent(row->limit, row->wall.median);
    row->kernel_percent = percent(row->limit, row->span.median);
    row->floor = row->empty + row->limit;
    row->uniform = input->data.uniform;
    row->accuracy = accuracy_of(run, &row->result, input);
    row->verdict = isnan(row->accuracy.bound)              ? "no-bound"
                   : row->wall.p90 > NOISY * row->wall.min ? "noisy"
                                                           : "right";
    return true;
}
