/* From what probe.c has found out to words: first what is lost or counted twice, then the likely reason.
 *
 *   # 4 groups of 48: elements 228..230 are lost: the tail behind the last whole vector of 4
 *   # likely: nobody reads the last n mod 4 elements one by one
 *
 * The first line is measured. The second is what most often has that effect: an experienced guess.
 */
#include "diagnose.h"

#include "probe.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { KNOWN = 8192, SHOWN = 3 }; // elements whose pattern is looked at; ranges that are printed

/* How often each of the first elements counts, and after how many the pattern repeats; 0: it does not. */
struct pattern {
    int64_t times[KNOWN];
    uint64_t known, period;
    uint64_t first; // so many at the beginning of each period count, and none of the others; 0: not so
};

static void find_pattern(const struct evidence *found, struct pattern *pattern)
{
    pattern->known = pattern->period = pattern->first = 0;
    for (int i = 0; i < found->parts && found->part[i].times != MIXED; i++)
        for (uint64_t at = found->part[i].from; at < found->part[i].to && at < KNOWN; at++)
            pattern->times[pattern->known++] = found->part[i].times;
    // The last groups may be others than the first: what comes again within the first half counts as a pattern.
    const uint64_t most = pattern->known / 4;
    for (uint64_t period = 1; period <= most && !pattern->period; period++) {
        uint64_t i = 0;
        while (i < 2 * most - period && pattern->times[i] == pattern->times[i + period])
            i++;
        if (i == 2 * most - period)
            pattern->period = period;
    }
    uint64_t first = 0, rest;
    while (first < pattern->period && pattern->times[first] == 1)
        first++;
    for (rest = first; rest < pattern->period && pattern->times[rest] == 0;)
        rest++;
    if (first < pattern->period && rest == pattern->period)
        pattern->first = first;
}

/* What that range is to the kernel, or "". */
static const char *role(const struct evidence *found, uint64_t from, uint64_t to)
{
    static char text[100];
    const uint64_t n = found->n, w = found->group, tile = found->width * found->lanes;
    const uint64_t block = ceil_div(n, found->groups * w);
    text[0] = '\0';
    if (tile > 1 && to == n && from == n / tile * tile && found->lanes > 1)
        snprintf(text, sizeof text, ": the tail behind the last whole tile of %zu lanes x %d", found->lanes,
                 found->width);
    else if (tile > 1 && to == n && from == n / tile * tile)
        snprintf(text, sizeof text, ": the tail behind the last whole vector of %d", found->width);
    else if (to == n && from == n / w * w && w > 1)
        snprintf(text, sizeof text, ": the last partial group");
    else if (from % w == 0 && to - from == w && w > 1)
        snprintf(text, sizeof text, ": a whole group's, number %" PRIu64, from / w);
    else if (from % w == 0 && (to % w == 0 || to == n) && w > 1)
        snprintf(text, sizeof text, ": whole groups', from number %" PRIu64 " on", from / w);
    else if (block > 1 && from % block == 0 && (to - from == block || (to == n && to - from < block)))
        snprintf(text, sizeof text, ": the block of work-item %" PRIu64, from / block);
    else if (to - from == 1 && from == 0)
        snprintf(text, sizeof text, ": the first one");
    else if (to - from == 1 && to == n)
        snprintf(text, sizeof text, ": the last one");
    return text;
}

static void print_times(int64_t times)
{
    if (times == MIXED)
        printf("count differently, by no rule found in time");
    else if (times == 0)
        printf("lost");
    else if (times == 2)
        printf("counted twice");
    else
        printf("counted %" PRId64 " times", times);
}

/* The ranges that do not count once. */
static void print_parts(const struct evidence *found, const struct pattern *pattern, const char *mark)
{
    const uint64_t end = pattern->period > 1 ? pattern->period : found->n; // of a pattern its first turn is enough
    int shown = 0, left = 0;
    for (int i = 0; i < found->parts; i++) {
        const struct part *part = &found->part[i];
        if (part->times == 1 || part->from >= end)
            continue;
        uint64_t to = part->to < end ? part->to : end;
        if (shown++ >= SHOWN) {
            left++;
            continue;
        }
        printf("%s", mark);
        if (part->from == 0 && to == found->n)
            printf("all elements are ");
        else if (to - part->from == 1)
            printf("element %" PRIu64 " is ", part->from);
        else
            printf("elements %" PRIu64 "..%" PRIu64 " are ", part->from, to - 1);
        print_times(part->times);
        puts(part->from == 0 && to == found->n ? "" : role(found, part->from, to));
    }
    if (left)
        printf("%sand %d more such ranges\n", mark, left);
    if (shown && end < found->n)
        printf("%sand so on, every %" PRIu64 " elements\n", mark, end);
}

/* The reason that most often has such an effect. What is more telling comes first. */
static const char *likely(const struct evidence *found, const struct pattern *pattern)
{
    static char text[300];
    const uint64_t n = found->n, w = found->group, period = pattern->period, block = ceil_div(n, found->groups * w);
    const struct part *first = found->part, *wrong = first;
    while (wrong < first + found->parts - 1 && wrong->times == 1)
        wrong++;
    const int64_t times = found->parts ? wrong->times : 1;
    const bool all = found->parts == 1, to_the_end = wrong == first + found->parts - 1;
    const bool one_range = to_the_end || (wrong == first + found->parts - 2 && wrong[1].times == 1);

#define SAY(...) return snprintf(text, sizeof text, __VA_ARGS__), text
    if (found->writes_input)
        SAY("the kernel writes to in[]: it is for reading only");
    if (found->varies)
        SAY("a race: is a barrier missing, or an atomic?");
    if (found->right_in_powers_of_two)
        SAY("groups of %zu are no power of two, and in one it comes out right: the tree loses the odd one out",
            found->group);
    if (all && times == 0 && found->stale)
        SAY("nothing is written to out: what stood there before comes out");
    if (all && times == 0)
        SAY("the result does not depend on the input: is it a constant, or does nobody load?");
    if (found->scratch && !found->scratch_full && found->n % w)
        SAY("scratch is not set where i >= n: every work-item must write an identity there");
    if (found->scratch)
        SAY("a race in local memory: a barrier is missing before it is read, or scratch is never set");
    if (found->stale)
        SAY("out is combined into, or read, without having been set: who puts the identity there?");
    if (found->zeros)
        SAY("an accumulator does not begin with identity()");
    if (found->beyond)
        SAY("the bound is missing or too large: i < n, where the last group or vector reaches beyond the end");
    if (all && times == (int64_t)w && w > 1)
        SAY("every work-item of a group publishes the group's value: one is enough, if (id == 0)");
    if (all && times == (int64_t)found->lanes && found->lanes > 1)
        SAY("every lane publishes its sub-group's value: one is enough, if (lane() == 0)");
    if (all && times > 1)
        SAY("the same value is combined %" PRId64 " times: do several work-items publish it?", times);
    if (pattern->first && found->width > 1 && period == (uint64_t)found->width)
        SAY("only some components of each vector count: fold() all of them");
    if (pattern->first == 1 && period == w)
        SAY("only the first work-item of each group counts: is a barrier missing, or the tree's comparison inverted?");
    if (pattern->first > 1 && period == w)
        SAY("work-items run %" PRIu64 " at a time here, and the later ones come too late: is a barrier missing?",
            pattern->first);
    if (period == 2)
        SAY("every second element is lost: the tree stops a round too early, or its stride is wrong");
    if (period > 1 && w % period == 0)
        SAY("each group's tree loses them: is a barrier missing in its loop, or are its bounds wrong?");
    if (one_range && times == 0 && to_the_end && found->width * found->lanes > 1 &&
        n - wrong->from < found->width * found->lanes)
        SAY("nobody reads what is left behind the last whole %s", found->lanes > 1 ? "tile" : "vector");
    if (one_range && times == 0 && to_the_end && wrong->from == n - 1)
        SAY("a bound is off by one at the end: i < n");
    if (one_range && times == 0 && wrong->from == 0 && wrong->to == 1)
        SAY("a loop begins at 1");
    if (one_range && times == 0 && to_the_end && w > 1 && wrong->from == n / w * w)
        SAY("the last group is launched, or counted, only if it is full: ceil_div(n, group)");
    if (one_range && times == 0 && to_the_end && w > 1 && wrong->from == w * w)
        SAY("one stage too few: a group takes in %zu values, and more were left", found->group);
    if (one_range && times == 0 && to_the_end)
        SAY("everything from there on is out of bounds for the kernel: a limit, or a division that rounds down");
    if (one_range && times > 1 && wrong->to - wrong->from == w && w > 1)
        SAY("two groups take the same elements, or a group's partial result is taken twice");
    if (one_range && wrong->to - wrong->from == block && block > 1)
        SAY("the bounds of the blocks: first and end of one work-item");
    if (found->parts > 1 || times > 1)
        SAY("the index map: where each work-item begins, and how far it steps on");
#undef SAY
    return NULL;
}

/* What can be wrong where each element counts once. */
static void diagnose_operator(struct session *session, const struct variant *variant, const struct operation *operation,
                              struct geometry wanted, uint64_t n, const char *mark)
{
    any_value instead;
    char text[40], identity[40];
    printf("%seach element counts once: as a sum of words it comes out right\n", mark);
    if (!probe_identity(session, variant, operation, wanted, n, &instead)) {
        any_value none;
        operation->set_identity(&none);
        operation->print(&instead, text, sizeof text);
        operation->print(&none, identity, sizeof identity);
        printf("%sbut of nothing but %s, the identity of %s, it makes %s\n", mark, identity, operation->op, text);
        printf("%slikely: an accumulator does not begin with identity(), or not combine() combines\n", mark);
    } else if (!operation->commutative) {
        printf("%slikely: the order: is a left operand on the right somewhere?\n", mark);
    } else if (operation->has_index) {
        printf("%slikely: the index: load(in, i) notes the i it is given\n", mark);
    } else {
        printf("%slikely: the operator: something else than load() and combine() is used\n", mark);
    }
}

void diagnose(struct session *session, const struct variant *variant, const struct operation *operation,
              struct geometry wanted, uint64_t n, const char *mark)
{
    static struct evidence found; // these two are large
    static struct pattern pattern;
    // A simulator starts with memory full of zeros, and takes its time: --races asks it what it is good at.
    if (strstr(session->device.name, "Oclgrind") || !probe(session, variant, operation, wanted, n, &found))
        return;
    if (found.nothing_wrong) {
        diagnose_operator(session, variant, operation, wanted, n, mark);
        return;
    }
    find_pattern(&found, &pattern);
    printf("%sn = %" PRIu64 ", %" PRIu64 " groups of %zu:\n", mark, found.n, found.groups, found.group);
    if (found.varies)
        printf("%stwo runs on the same input differ\n", mark);
    if (found.zeros)
        printf("%sof nothing but zeros it makes %" PRIu32 "\n", mark, found.zeros);
    if (found.stale)
        printf("%swhat stood in out before comes into the result, %" PRId32 " times\n", mark, (int32_t)found.stale);
    if (found.scratch)
        printf("%swhat stood in local memory before comes into the result, %" PRId32 " times\n", mark,
               (int32_t)found.scratch);
    if (found.beyond)
        printf("%swhat lies beyond the last element comes into the result: %" PRId32 " elements\n", mark,
               (int32_t)found.beyond);
    print_parts(&found, &pattern, mark);
    const char *reason = likely(&found, &pattern);
    if (reason)
        printf("%slikely: %s\n", mark, reason);
}
