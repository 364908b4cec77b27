#include "signs.h"

struct signs read_signs(const struct evidence *found, const struct operation *operation)
{
    const uint64_t group_size = found->group_size, period = found->period;
    const struct range *ranges = found->ranges, *end = ranges + found->range_count;
    struct signs signs = { found, operation,
                           found->operation != operation &&
                               (operation->has_extreme || operation->is_floating) };
    if (found->range_count > 0) {
        signs.first = ranges[0];
        signs.last = end[-1];
    }
    if (found->range_count > 1)
        signs.second = ranges[1];
    signs.length = signs.first.to - signs.first.from;
    signs.is_lost = signs.first.to > 0 && signs.first.count == 0;
    signs.is_repeated = signs.first.count > 1;
    signs.times = signs.is_repeated ? (uint64_t)signs.first.count : 0;
    signs.is_everything = signs.length == found->n;
    signs.is_one_end =
        signs.is_lost && found->range_count == 1 && found->n - signs.first.to < found->tile;
    // The elements before the first range count. If these are all that count, they come first.
    signs.leading = found->counted == signs.first.from ? found->counted : 0;
    signs.repeats_in_group = period && group_size % period == 0;
    signs.repeats_by_group =
        group_size > 1 && (period == group_size || period == group_size * found->width);
    for (const struct range *range = ranges; range < end; range++) {
        signs.loses |= range->count == 0;
        signs.repeats |= range->count > 1;
        signs.changes |= range->kind == RANGE_CHANGED;
    }
    return signs;
}

struct diagnosis choose_row(const struct cause_row *row)
{
    while (!row->fits)
        row++;
    return (struct diagnosis) { row->cause, row->sentence, row->number, row->other };
}
