/* What wrong kernels do, and how it shows from outside: from many that learners have written and
 * published.
 *
 *   w of the elements      1 0 0 0 1 0 0 0 …      period 4, the first of each counts
 *   W = 4                  is a barrier missing, or the tree's comparison inverted?
 *   vectors of 4           one component counts: who folds the others?
 */
#include "likely.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UNSPECIFIC                                                                                 \
    "nothing that is known by its effect: " // tests/mutants.t does not take this for a name

void find_pattern(const struct evidence *found, struct pattern *pattern)
{
    pattern->known = pattern->period = pattern->first = 0;
    for (int i = 0; i < found->parts && found->part[i].times != MIXED; i++)
        for (uint64_t at = found->part[i].from; at < found->part[i].to && at < KNOWN; at++)
            pattern->times[pattern->known++] = found->part[i].times;
    // Within the first group's elements, as a later stage may lose others; else within the first
    // half of what is known, or, if it was too much to be searched to the end, within all of it.
    const uint64_t looked_at[] = { found->group * found->width, pattern->known / 2,
                                   pattern->known };
    const int tries = found->parts > 0 && found->part[found->parts - 1].times == MIXED ? 3 : 2;
    for (int try = 0; try < tries && pattern->period <= 1; try++) {
        const uint64_t most = looked_at[try] < pattern->known ? looked_at[try] : pattern->known;
        pattern->period = 1;
        while (pattern->period <= most / 2 &&
               memcmp(pattern->times, pattern->times + pattern->period,
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

/* The ranges that do not count once, as far as they were searched. */
struct wrong {
    int ranges;
    const struct part *first, *second; // NULL: there is none
    bool alike;                        // all of one length, and counted equally often
};

static struct wrong wrong_ranges(const struct evidence *found)
{
    struct wrong wrong = { .alike = true };
    for (const struct part *part = found->part; part < found->part + found->parts; part++) {
        if (part->times == 1 || part->times == MIXED)
            continue;
        wrong.ranges++;
        if (!wrong.first)
            wrong.first = part;
        else if (!wrong.second)
            wrong.second = part;
        wrong.alike &= part->times == wrong.first->times &&
                       part->to - part->from == wrong.first->to - wrong.first->from;
    }
    return wrong;
}

/* Does each range of `step` elements count once more than the one before, 1, 2, 3 … up to `top`? */
static bool rises(const struct evidence *found, uint64_t step, int64_t top)
{
    for (int64_t i = 0; i < top; i++)
        if (i >= found->parts || found->part[i].from != i * step || found->part[i].times != i + 1)
            return false;
    return top > 1;
}

/* Does the beginning of each `period`, of this length, count that often, and all else not at all?
 */
static bool only_beginnings(const struct evidence *found, uint64_t period, uint64_t length,
                            int64_t times)
{
    for (const struct part *part = found->part; part < found->part + found->parts; part++) {
        bool beginning = part->from % period == 0 && part->to - part->from <= length;
        if (part->times != (beginning ? times : 0))
            return false;
    }
    return true;
}

/* How often the elements of one period count. */
struct counts {
    int64_t least, most;
    bool one_of_each_vector; // and no more: the others of a vector do not count at all
};

static struct counts counts_of(const struct pattern *pattern, int width)
{
    struct counts counts = { pattern->times[0], pattern->times[0], true };
    for (uint64_t i = 0, last = pattern->period; i < pattern->period; i++) {
        const int64_t times = pattern->times[i];
        counts.least = times < counts.least ? times : counts.least;
        counts.most = times > counts.most ? times : counts.most;
        if (times != 0 && last != pattern->period && last / width == i / width)
            counts.one_of_each_vector = false;
        if (times != 0)
            last = i;
    }
    return counts;
}

/* What is more telling comes first. */
const char *likely(const struct evidence *found, const struct pattern *pattern)
{
    static char text[300];
    const uint64_t n = found->n, w = found->group, block = ceil_div(n, found->groups * w),
                   period = pattern->period;
    const uint64_t tile = found->width * found->lanes;
    const uint64_t each = period == w * found->width ? (uint64_t)found->width
                                                     : 1; // elements of one work-item in a row
    const struct part *part = found->part, *last = part + found->parts - 1;
    const bool all = found->parts == 1;
    const uint32_t most = 1 << 24; // values that can come in from where nobody has written
    const struct wrong wrong = wrong_ranges(found);
    const struct counts counts = counts_of(pattern, found->width);
    while (part < last && (part->times == 1 || part->times == MIXED))
        part++;
    // From here on `part` is the first that is wrong. Is it the only one?
    const bool to_the_end = part == last,
               one = to_the_end || (part == last - 1 && last->times == 1);
    const bool lost_end = one && part->times == 0 && n - part->to < tile;

#define SAY(...) return snprintf(text, sizeof text, __VA_ARGS__), text
    if (found->writes_input)
        SAY("the kernel writes to in[]: it is for reading only");
    // More than a count of values is an earlier run's value; as all arrays were filled, local
    // memory has kept it.
    if (found->stale > most || found->scratch > most || (found->scratch && found->varies))
        SAY("local memory is read too early: a barrier is missing before that, or it is never set");
    if (found->stale && (found->finishes ? found->groups > 1
                         : found->varies ? !found->zeros && found->stale <= found->groups
                                         : part->times == 0 && !all))
        SAY("what a group leaves is combined before it stands in out, or never gets there");
    if (found->varies)
        SAY("a race: is a barrier missing, or an atomic? Or nobody sets local memory before it is "
            "read");
    if (found->right_in_powers_of_two && (found->scratch || part->times > 1))
        SAY("%zu is no power of two, and in groups of one it comes out right: the tree takes in "
            "too much, is the "
            "comparison of id missing or too wide?",
            found->group);
    if (found->right_in_powers_of_two)
        SAY("%zu is no power of two, and in groups of one it comes out right: the tree loses the "
            "odd one out",
            found->group);
    if (all && part->times == 0 && found->stale)
        SAY("nothing is written to out: what stood there before comes out");
    if (all && part->times == 0)
        SAY("the result does not depend on the input: a constant? Does nobody load, or one stage "
            "lose everything?");
    if (w > 1 && found->right_when_full && (found->scratch || part->times > 1) && !found->beyond &&
        !found->stale)
        SAY("scratch is not set where i >= n: every work-item must write there, the identity if "
            "nothing else");
    if (found->scratch)
        SAY("local memory is read too early: a barrier is missing before that, or it is never set");
    if (found->stale)
        SAY("out is combined into, or read, without having been set: who puts the identity there?");
    if (found->zeros)
        SAY("an accumulator does not begin with identity()");
    if (found->beyond)
        SAY("the bound is missing or too large: i < n, where the last group or vector reaches "
            "beyond the end");
    if (all && part->times == (int64_t)w && w > 1)
        SAY("every work-item of a group publishes the group's value: one is enough, if (id == 0)");
    if (all && part->times == (int64_t)found->lanes && found->lanes > 1)
        SAY("every lane publishes its sub-group's value: one is enough, if (lane() == 0)");
    if (all && part->times > 1)
        SAY("the same value is combined %" PRId64 " times: do several work-items publish it?",
            part->times);
    if (rises(found, 1, found->width))
        SAY("vectors overlap: each begins one element after the one before it, not %d",
            found->width);
    if ((uint64_t)found->parts ==
            (found->groups < ceil_div(n, w) ? found->groups : ceil_div(n, w)) &&
        rises(found, w, found->parts))
        SAY("each group steps on by its own size, not by that of the launch: get_global_size(0)");
    if (found->groups > 1 && only_beginnings(found, found->groups * w, w, (int64_t)found->groups))
        SAY("all groups begin at element 0: get_global_id(0), not get_local_id(0)");
    if (period > 1 && counts.one_of_each_vector && found->width > 1 && counts.most > 1 &&
        counts.most % found->width == 0) // once more in each stage
        SAY("one element fills all of a vector: (a, b) without a type in front is just b");
    if (period > 1 && found->lanes % period == 0 && counts.least > 0)
        SAY("other lanes publish as well, whatever they have by then: one is enough, if (lane() == "
            "0)");
    if (period > 1 && w % period == 0 && counts.least > 0)
        SAY("other work-items publish as well, whatever they have by then: one is enough, if (id "
            "== 0)");
    if (wrong.ranges > 1 && wrong.alike && part->times > 1 && block > 1 && part->from == block)
        SAY("blocks overlap: the first of each is also the last of the one before: i < end");
    if (wrong.ranges == 2 && wrong.first->times >= 0 &&
        wrong.first->times + wrong.second->times == 2 && wrong.second->times >= 0 &&
        wrong.first->to - wrong.first->from == wrong.second->to - wrong.second->from)
        SAY("one %s takes the elements of another: where does each begin?",
            w > 1 && wrong.first->to - wrong.first->from == w ? "group" : "work-item");
    if (pattern->first == 1 && found->lanes > 1 && period == found->lanes)
        SAY("only the first of %zu lanes counts: who combines the others?", found->lanes);
    if (pattern->first == found->lanes && found->width > 1 && period == tile)
        SAY("only one component of each vector counts: fold() all of them");
    if (pattern->first == found->lanes && found->lanes > 1 && period == w)
        SAY("only the first sub-group of each group counts: is a barrier missing, or who combines "
            "the others?");
    if (pattern->first == found->lanes && found->lanes > 1 && period % found->lanes == 0)
        SAY("only one sub-group of %" PRIu64
            " counts: they have %zu lanes here, does the kernel take others for granted?",
            period / found->lanes, found->lanes);
    if (pattern->first > 1 && w == 1 && period % pattern->first == 0)
        SAY("of each block 1 part in %" PRIu64 " counts: who combines the other accumulators?",
            period / pattern->first);
    if (pattern->first == each && period == w * each)
        SAY("only the first work-item of each group counts: is a barrier missing, or the tree's "
            "comparison inverted?");
    if (pattern->first > each && pattern->first % each == 0 && period == w * each &&
        2 * pattern->first < period)
        SAY("work-items run %" PRIu64
            " at a time here, and the later ones come too late: is a barrier missing?",
            pattern->first / each);
    if (period == 2)
        SAY("every second element is lost: a round of the tree is missing, or its stride is wrong");
    if (period > 1 && w % period == 0)
        SAY("each group's tree loses them: has it a round too few, or wrong bounds? Is a barrier "
            "missing?");
    if (lost_end && tile > 1 && n - part->from < tile)
        SAY("nobody reads what is left behind the last whole %s",
            n - part->from < (uint64_t)found->width ? "vector" : "tile");
    if (period <= 1 && part->from == 0 && part->times == 0 &&
        (part->to == 1 || (found->launches > 1 && (part->to == w || part->to == w + 1))))
        SAY("a loop begins at 1: element 0 is lost, and in a later stage the partial result of "
            "group 0");
    if (part->to == 1 && part->times > 1 && part[1].times == 0)
        SAY("element 0 is read again and again: is the index that of the loop?");
    if (part->to == 1 && part->times > 1)
        SAY("element 0 is combined once more: does an accumulator begin with it?");
    if (last->times == 0 &&
        last->from == n - 1) // and, in a later stage, the partial result of the last group
        SAY("a bound is off by one at the end: i < n");
    if (lost_end && (part->from == (uint16_t)n || part->from == (uint32_t)n))
        SAY("n does not fit into a variable: it is cut to %d bits",
            part->from == (uint16_t)n ? 16 : 32);
    if (lost_end && w > 1 && part->from == n / w * w && one_each(found))
        SAY("the last group is launched, or counted, only if it is full: ceil_div(n, group)");
    if (lost_end && w > 1 && part->from == w * w)
        SAY("one stage too few: a group takes in %zu values, and more were left", found->group);
    if (lost_end && w > 1 && part->from % w == 0 && one_each(found))
        SAY("the partial results from group %" PRIu64
            " on: how many does the next stage take in, and out of which array?",
            part->from / w);
    if (lost_end)
        SAY("everything from there on is out of bounds for the kernel: a limit, or a division that "
            "rounds down");
    if (one && part->times > 1 && part->to - part->from == w && w > 1)
        SAY("two groups take the same elements, or a group's partial result is taken twice");
    if (one && part->to - part->from == block && block > 1)
        SAY("the bounds of the blocks: first and end of one work-item");
    SAY(UNSPECIFIC
        "the index map, where each work-item begins and how far it steps on? Or a race?");
#undef SAY
}
