/* What wrong kernels do, and how it shows from outside: from many that learners have written and published.
 *
 *   w of the elements      1 0 0 0 1 0 0 0 …      period 4, the first of each counts
 *   W = 4                  is a barrier missing, or the tree's comparison inverted?
 *   vectors of 4           one component counts: who folds the others?
 */
#include "likely.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void find_pattern(const struct evidence *found, struct pattern *pattern)
{
    pattern->known = pattern->period = pattern->first = 0;
    for (int i = 0; i < found->parts && found->part[i].times != MIXED; i++)
        for (uint64_t at = found->part[i].from; at < found->part[i].to && at < KNOWN; at++)
            pattern->times[pattern->known++] = found->part[i].times;
    // Within the first group's elements, as a later stage may lose others; else within the first half of what is known.
    const uint64_t looked_at[] = { found->group * found->width, pattern->known / 2 };
    for (int try = 0; try < 2 && pattern->period <= 1; try++) {
        const uint64_t most = looked_at[try] < pattern->known ? looked_at[try] : pattern->known;
        pattern->period = 1;
        while (pattern->period <= most / 2 && memcmp(pattern->times, pattern->times + pattern->period,
                                                     (most - pattern->period) * sizeof *pattern->times) != 0)
            pattern->period++;
        if (pattern->period > most / 2)
            pattern->period = 0;
    }
    uint64_t first = 0, rest;
    while (first < pattern->period && pattern->times[first] == 1)
        first++;
    for (rest = first; rest < pattern->period && pattern->times[rest] == 0;)
        rest++;
    if (first < pattern->period && rest == pattern->period)
        pattern->first = first;
}

bool one_each(const struct evidence *found)
{
    const uint64_t full = found->n / found->group;
    return found->groups == full || found->groups == ceil_div(found->n, found->group);
}

/* What is more telling comes first. */
const char *likely(const struct evidence *found, const struct pattern *pattern)
{
    static char text[300];
    const uint64_t n = found->n, w = found->group, block = ceil_div(n, found->groups * w), period = pattern->period;
    const uint64_t tile = found->width * found->lanes;
    const struct part *part = found->part, *last = part + found->parts - 1;
    const bool all = found->parts == 1;
    while (part < last && (part->times == 1 || part->times == MIXED))
        part++;
    // From here on `part` is the first that is wrong. Is it the only one?
    const bool to_the_end = part == last, one = to_the_end || (part == last - 1 && last->times == 1);
    const bool lost_end = one && part->times == 0 && n - part->to < tile;

#define SAY(...) return snprintf(text, sizeof text, __VA_ARGS__), text
    if (found->writes_input)
        SAY("the kernel writes to in[]: it is for reading only");
    if (found->varies)
        SAY("a race: is a barrier missing, or an atomic? Or nobody sets local memory before it is read");
    if (found->right_in_powers_of_two)
        SAY("%zu is no power of two, and in groups of one it comes out right: the tree loses the odd one out",
            found->group);
    if (all && part->times == 0 && found->stale)
        SAY("nothing is written to out: what stood there before comes out");
    if (all && part->times == 0)
        SAY("the result does not depend on the input: a constant? Does nobody load, or one stage lose everything?");
    if (w > 1 && found->right_when_full && (found->scratch || part->times > 1) && !found->beyond && !found->stale)
        SAY("scratch is not set where i >= n: every work-item must write there, the identity if nothing else");
    if (found->scratch)
        SAY("local memory is read too early: a barrier is missing before that, or it is never set");
    if (found->stale)
        SAY("out is combined into, or read, without having been set: who puts the identity there?");
    if (found->zeros)
        SAY("an accumulator does not begin with identity()");
    if (found->beyond)
        SAY("the bound is missing or too large: i < n, where the last group or vector reaches beyond the end");
    if (all && part->times == (int64_t)w && w > 1)
        SAY("every work-item of a group publishes the group's value: one is enough, if (id == 0)");
    if (all && part->times == (int64_t)found->lanes && found->lanes > 1)
        SAY("every lane publishes its sub-group's value: one is enough, if (lane() == 0)");
    if (all && part->times > 1)
        SAY("the same value is combined %" PRId64 " times: do several work-items publish it?", part->times);
    if (pattern->first == 1 && found->lanes > 1 && period == found->lanes)
        SAY("only the first of %zu lanes counts: who combines the others?", found->lanes);
    if (pattern->first == found->lanes && found->width > 1 && period == tile)
        SAY("only one component of each vector counts: fold() all of them");
    if (pattern->first == found->lanes && found->lanes > 1 && period % found->lanes == 0)
        SAY("only one sub-group of %" PRIu64
            " counts: they have %zu lanes here, does the kernel take others for granted?",
            period / found->lanes, found->lanes);
    if (pattern->first == 1 && period == w)
        SAY("only the first work-item of each group counts: is a barrier missing, or the tree's comparison inverted?");
    if (pattern->first > 1 && period == w && 2 * pattern->first < w)
        SAY("work-items run %" PRIu64 " at a time here, and the later ones come too late: is a barrier missing?",
            pattern->first);
    if (period == 2)
        SAY("every second element is lost: a round of the tree is missing, or its stride is wrong");
    if (period > 1 && w % period == 0)
        SAY("each group's tree loses them: has it a round too few, or wrong bounds? Is a barrier missing?");
    if (lost_end && tile > 1 && n - part->from < tile)
        SAY("nobody reads what is left behind the last whole %s", found->lanes > 1 ? "tile" : "vector");
    if (period <= 1 && part->from == 0 && part->times == 0 &&
        (part->to == 1 || (found->launches > 1 && (part->to == w || part->to == w + 1))))
        SAY("a loop begins at 1: element 0 is lost, and in a later stage the partial result of group 0");
    if (part->to == 1 && part->times > 1 && part[1].times == 0)
        SAY("element 0 is read again and again: is the index that of the loop?");
    if (part->to == 1 && part->times > 1)
        SAY("element 0 is combined once more: does an accumulator begin with it?");
    if (last->times == 0 && last->from == n - 1) // and, in a later stage, the partial result of the last group
        SAY("a bound is off by one at the end: i < n");
    if (lost_end && w > 1 && part->from == n / w * w && one_each(found))
        SAY("the last group is launched, or counted, only if it is full: ceil_div(n, group)");
    if (lost_end && w > 1 && part->from == w * w)
        SAY("one stage too few: a group takes in %zu values, and more were left", found->group);
    if (lost_end && w > 1 && part->from % w == 0 && one_each(found))
        SAY("the partial results from group %" PRIu64
            " on: how many does the next stage take in, and out of which array?",
            part->from / w);
    if (lost_end)
        SAY("everything from there on is out of bounds for the kernel: a limit, or a division that rounds down");
    if (one && part->times > 1 && part->to - part->from == w && w > 1)
        SAY("two groups take the same elements, or a group's partial result is taken twice");
    if (one && part->to - part->from == block && block > 1)
        SAY("the bounds of the blocks: first and end of one work-item");
    SAY("the index map: where each work-item begins, and how far it steps on; or a race");
#undef SAY
}
