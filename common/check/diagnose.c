/* From what probe.c has found out to words: first what is lost or counted twice, then the likely
 * reason.
 *
 *   # 4 groups of 48: elements 228..230 are lost: the tail behind the last whole vector of 4
 *   # likely: nobody reads the last n mod 4 elements one by one
 *
 * The first line is measured. The second is what most often has that effect: an experienced guess.
 */
#include "diagnose.h"

#include "likely.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 3 }; // ranges that are printed

/* How often each of the first elements counts, and after how many that repeats. */
static void find_pattern(const struct evidence *found, struct pattern *pattern)
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

/* What that range is to the kernel, or "". */
static const char *role(const struct evidence *found, uint64_t from, uint64_t to)
{
    static char text[100];
    const uint64_t n = found->n, w = found->group, tile = found->width * found->lanes;
    const uint64_t block = ceil_div(n, found->groups * w);
    text[0] = '\0';
    if (to - from == 1 && from == 0)
        snprintf(text, sizeof text, ": the first one");
    else if (to - from == 1 && to == n && tile == 1)
        snprintf(text, sizeof text, ": the last one");
    else if (tile > 1 && to == n && from == n / tile * tile && found->lanes > 1)
        snprintf(text, sizeof text, ": the tail behind the last whole tile of %zu lanes x %d",
                 found->lanes, found->width);
    else if (found->width > 1 && to == n && from == n / found->width * found->width)
        snprintf(text, sizeof text, ": the tail behind the last whole vector of %d", found->width);
    else if (to == n && from == n / w * w && w > 1 && one_each(found))
        snprintf(text, sizeof text, ": the last partial group");
    else if (from % w == 0 && to - from == w && w > 1)
        snprintf(text, sizeof text, ": a whole group's, number %" PRIu64, from / w % found->groups);
    else if (from % w == 0 && (to % w == 0 || to == n) && w > 1)
        snprintf(text, sizeof text, ": whole groups', from number %" PRIu64 " on", from / w);
    else if (block > 1 && from % block == 0 &&
             (to - from == block || (to == n && to - from < block)))
        snprintf(text, sizeof text, ": the block of work-item %" PRIu64, from / block);
    return text;
}

static void print_times(int64_t times)
{
    if (times == MIXED)
        printf("not all counted once");
    else if (times == 0)
        printf("lost");
    else if (times == 2)
        printf("counted twice");
    else
        printf("counted %" PRId64 " times", times);
}

/* The ranges that do not count once. */
static void print_parts(const struct evidence *found, const struct pattern *pattern,
                        const char *mark)
{
    const uint64_t end =
        pattern->period > 1 ? pattern->period : found->n; // of a pattern its first turn is enough
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

/* What has nothing to do with places: is something else than the identity combined where nothing
 * is? In a sum of integers it shows by its size: see likely.c. */
static bool wrong_identity(struct session *session, const struct trial *trial, const char *mark)
{
    const struct operation *operation = trial->operation;
    any_value instead;
    char text[40], identity[40];
    if ((!operation->has_extreme && !operation->floating) ||
        probe_identity(session, trial, &instead))
        return false;
    operation->print(&instead, text, sizeof text);
    operation->print(operation->identity, identity, sizeof identity);
    printf("%sof nothing but %s, the identity of %s, it makes %s\n", mark, identity, operation->op,
           text);
    printf("%slikely: an accumulator does not begin with identity(), or it is not combine() that "
           "combines\n",
           mark);
    return true;
}

/* As a sum of words each element counts once. */
static const char *likely_elsewhere(struct session *session, const struct trial *trial)
{
    const struct operation *operation = trial->operation;
    char again[400];
    double wall;
    if (!operation->commutative)
        return "the order: is a left operand on the right somewhere?";
    if (operation->has_index)
        return "the index: load(in, i) notes the i that it is given";
    if (operation->has_extreme || operation->floating)
        return "the operator: is something else used than load() and combine()?";
    if (check_size(session, trial, &wall, again) != EXIT_WRONG) // what has just been asked
        return "a race: wrong a moment ago, right now, on the same input";
    return "what is done to the values: a sign, a type, or a limit that these words do not meet";
}

static void print_evidence(const struct evidence *found, const char *mark)
{
    printf("%sn = %" PRIu64 ", %" PRIu64 " groups of %zu:\n", mark, found->n, found->groups,
           found->group);
    if (found->varies) { // any figure would be another one the next time
        printf("%stwo runs on the same input differ\n", mark);
        return;
    }
    if (found->zeros)
        printf("%sof nothing but zeros it makes %" PRIu32 "\n", mark, found->zeros);
    if (found->stale)
        printf("%swhat stood in out before comes into the result, %" PRId32 " times\n", mark,
               (int32_t)found->stale);
    if (found->scratch)
        printf("%swhat stood in local memory before comes into the result, %" PRId32 " times\n",
               mark, (int32_t)found->scratch);
    if (found->beyond)
        printf("%swhat lies beyond the last element comes into the result: %" PRId32 " elements\n",
               mark, (int32_t)found->beyond);
}

void diagnose(struct session *session, const struct trial *trial, const char *why, const char *mark)
{
    static struct evidence found; // these two are large
    static struct pattern pattern;
    const bool value = strncmp(why, "expected ", 9) == 0;
    // A simulator starts with memory full of zeros, and takes its time: --races asks it what it is
    // good at.
    if (session->device.simulated || wrong_identity(session, trial, mark) ||
        !probe(session, trial, &found) || (found.nothing_wrong && !value))
        return;
    if (found.nothing_wrong) {
        printf("%seach element counts once: as a sum of words it comes out right\n", mark);
        printf("%slikely: %s\n", mark, likely_elsewhere(session, trial));
        return;
    }
    print_evidence(&found, mark);
    if (!found.varies) {
        find_pattern(&found, &pattern);
        print_parts(&found, &pattern, mark);
    }
    printf("%slikely: %s\n", mark, likely(&found, &pattern));
}
