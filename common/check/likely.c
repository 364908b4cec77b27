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

// tests/mutants.t does not take this for a name
#define UNSPECIFIC "nothing that is known by its effect: "

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

/* Does the beginning of each `period`, of this length, count that often, and nothing else? */
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

static bool divides(uint64_t a, uint64_t b) { return a && b % a == 0; }

const char *likely(const struct evidence *found, const struct pattern *pattern)
{
    static char text[300];
    const uint64_t n = found->n, w = found->group, width = (uint64_t)found->width,
                   lanes = found->lanes, groups = found->groups, tile = width * lanes,
                   block = ceil_div(n, groups * w);
    const uint64_t period = pattern->period, first = pattern->first;
    const uint64_t each = period == w * width ? width : 1; // elements of one work-item in a row
    const uint32_t many = 1 << 24; // more values than can come in from where nobody has written
    const struct wrong wrong = wrong_ranges(found);
    const struct counts counts = counts_of(pattern, found->width);
    const struct part *part = found->part, *last = part + (found->parts ? found->parts - 1 : 0);
    const bool all = found->parts == 1;
    while (part < last && (part->times == 1 || part->times == MIXED))
        part++;
    // From here on `part` is the first that is wrong. Is it the only one?
    const uint64_t from = part->from, to = part->to, length = to - from, rest = n - from;
    const bool lost = part->times == 0, more = part->times > 1;
    const bool one = part == last || (part == last - 1 && last->times == 1);
    const bool lost_end = one && lost && n - to < tile;
    const bool scratch_early =
        found->stale > many || found->scratch > many || (found->scratch && found->varies);
    const bool stale_group =
        found->stale && (found->finishes ? groups > 1
                         : found->varies ? !found->zeros && found->stale <= groups
                                         : lost && !all);
    const bool not_set = w > 1 && found->right_when_full && (found->scratch || more) &&
                         !found->beyond && !found->stale;
    const bool own_steps =
        (uint64_t)found->parts == (groups < ceil_div(n, w) ? groups : ceil_div(n, w)) &&
        rises(found, w, found->parts);
    const bool swapped =
        wrong.ranges == 2 && wrong.first->times >= 0 && wrong.second->times >= 0 &&
        wrong.first->times + wrong.second->times == 2 &&
        wrong.first->to - wrong.first->from == wrong.second->to - wrong.second->from;
    const bool whole_group = swapped && w > 1 && wrong.first->to - wrong.first->from == w;

    const struct {
        bool so;
        const char *text; // with a number in it, or two
        uint64_t number, other;
    } causes[] = {
        // what is more telling comes first
        { found->writes_input, "the kernel writes to in[]: it is for reading only" },
        { scratch_early, // an earlier run's value: local memory has kept it, arrays were filled
          "local memory is read too early: a barrier is missing before that, or it is never set" },
        { stale_group,
          "what a group leaves is combined before it stands in out, or never gets there" },
        { found->varies, "a race: is a barrier missing, or an atomic? Or nobody sets local memory "
                         "before it is read" },
        { found->right_in_powers_of_two && (found->scratch || more),
          "%" PRIu64 " is no power of two, and in groups of one it comes out right: the tree takes "
          "in too much, is the comparison of id missing or too wide?",
          w },
        { found->right_in_powers_of_two,
          "%" PRIu64 " is no power of two, and in groups of one it comes out right: the tree loses "
          "the odd one out",
          w },
        { all && lost && found->stale,
          "nothing is written to out: what stood there before comes out" },
        { all && lost, "the result does not depend on the input: a constant? Does nobody load, or "
                       "one stage lose everything?" },
        { not_set, "scratch is not set where i >= n: every work-item must write there, the "
                   "identity if nothing else" },
        { found->scratch,
          "local memory is read too early: a barrier is missing before that, or it is never set" },
        { found->stale,
          "out is combined into, or read, without having been set: who puts the identity there?" },
        { found->zeros, "an accumulator does not begin with identity()" },
        { found->beyond, "the bound is missing or too large: i < n, where the last group or vector "
                         "reaches beyond the end" },
        { all && part->times == (int64_t)w && w > 1,
          "every work-item of a group publishes the group's value: one is enough, if (id == 0)" },
        { all && part->times == (int64_t)lanes && lanes > 1,
          "every lane publishes its sub-group's value: one is enough, if (lane() == 0)" },
        { all && more,
          "the same value is combined %" PRIu64 " times: do several work-items publish it?",
          (uint64_t)part->times },
        { rises(found, 1, found->width),
          "vectors overlap: each begins one element after the one before it, not %" PRIu64, width },
        { own_steps,
          "each group steps on by its own size, not by that of the launch: get_global_size(0)" },
        { groups > 1 && only_beginnings(found, groups * w, w, (int64_t)groups),
          "all groups begin at element 0: get_global_id(0), not get_local_id(0)" },
        { period > 1 && counts.one_of_each_vector && width > 1 && counts.most > 1 &&
              counts.most % found->width == 0, // once more in each stage
          "one element fills all of a vector: (a, b) without a type in front is just b" },
        { period > 1 && divides(period, lanes) && counts.least > 0,
          "other lanes publish as well, whatever they have by then: one is enough, if (lane() == "
          "0)" },
        { period > 1 && divides(period, w) && counts.least > 0,
          "other work-items publish as well, whatever they have by then: one is enough, if (id == "
          "0)" },
        { wrong.ranges > 1 && wrong.alike && more && block > 1 && from == block,
          "blocks overlap: the first of each is also the last of the one before: i < end" },
        { whole_group, "one group takes the elements of another: where does each begin?" },
        { swapped, "one work-item takes the elements of another: where does each begin?" },
        { first == 1 && lanes > 1 && period == lanes,
          "only the first of %" PRIu64 " lanes counts: who combines the others?", lanes },
        { first == lanes && width > 1 && period == tile,
          "only one component of each vector counts: fold() all of them" },
        { first == lanes && lanes > 1 && period == w,
          "only the first sub-group of each group counts: is a barrier missing, or who combines "
          "the others?" },
        { first == lanes && lanes > 1 && divides(lanes, period),
          "only one sub-group of %" PRIu64 " counts: they have %" PRIu64
          " lanes here, does the kernel take others for granted?",
          period / lanes, lanes },
        { first > 1 && w == 1 && divides(first, period),
          "of each block 1 part in %" PRIu64 " counts: who combines the other accumulators?",
          first ? period / first : 0 },
        { first == each && period == w * each,
          "only the first work-item of each group counts: is a barrier missing, or the tree's "
          "comparison inverted?" },
        { first > each && divides(each, first) && period == w * each && 2 * first < period,
          "work-items run %" PRIu64
          " at a time here, and the later ones come too late: is a barrier missing?",
          first / each },
        { period == 2, "every second element is lost: a round of the tree is missing, or its "
                       "stride is wrong" },
        { period > 1 && divides(period, w),
          "each group's tree loses them: has it a round too few, or wrong bounds? Is a barrier "
          "missing?" },
        { lost_end && tile > 1 && rest < tile && rest < width,
          "nobody reads what is left behind the last whole vector" },
        { lost_end && tile > 1 && rest < tile,
          "nobody reads what is left behind the last whole tile" },
        { period <= 1 && from == 0 && lost &&
              (to == 1 || (found->launches > 1 && (to == w || to == w + 1))),
          "a loop begins at 1: element 0 is lost, and in a later stage the partial result of group "
          "0" },
        { to == 1 && more && part < last && part[1].times == 0,
          "element 0 is read again and again: is the index that of the loop?" },
        { to == 1 && more, "element 0 is combined once more: does an accumulator begin with it?" },
        { last->times == 0 && last->from == n - 1, // of a later stage: the last partial result
          "a bound is off by one at the end: i < n" },
        { lost_end && from == (uint16_t)n, "n does not fit into a variable: it is cut to 16 bits" },
        { lost_end && from == (uint32_t)n, "n does not fit into a variable: it is cut to 32 bits" },
        { lost_end && w > 1 && from == n / w * w && one_each(found),
          "the last group is launched, or counted, only if it is full: ceil_div(n, group)" },
        { lost_end && w > 1 && from == w * w,
          "one stage too few: a group takes in %" PRIu64 " values, and more were left", w },
        { lost_end && w > 1 && divides(w, from) && one_each(found),
          "the partial results from group %" PRIu64
          " on: how many does the next stage take in, and out of which array?",
          from / w },
        { lost_end, "everything from there on is out of bounds for the kernel: a limit, or a "
                    "division that rounds down" },
        { one && more && length == w && w > 1,
          "two groups take the same elements, or a group's partial result is taken twice" },
        { one && length == block && block > 1,
          "the bounds of the blocks: first and end of one work-item" },
        { true, UNSPECIFIC "the index map, where each work-item begins and how far it steps on? Or "
                           "a race?" },
    };
    int i = 0;
    while (!causes[i].so)
        i++;
    snprintf(text, sizeof text, causes[i].text, causes[i].number, causes[i].other);
    return text;
}
