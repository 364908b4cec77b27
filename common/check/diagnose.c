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
 * is? */
static bool wrong_identity(struct session *session, const struct variant *variant,
                           const struct operation *operation, struct geometry wanted, uint64_t n,
                           const char *mark)
{
    any_value instead, none;
    char text[40], identity[40];
    // In a sum of integers it shows by its size: see likely().
    if ((!operation->has_extreme && !operation->floating) ||
        probe_identity(session, variant, operation, wanted, n, &instead))
        return false;
    operation->set_identity(&none);
    operation->print(&instead, text, sizeof text);
    operation->print(&none, identity, sizeof identity);
    printf("%sof nothing but %s, the identity of %s, it makes %s\n", mark, identity, operation->op,
           text);
    printf("%slikely: an accumulator does not begin with identity(), or it is not combine() that "
           "combines\n",
           mark);
    return true;
}

void diagnose(struct session *session, const struct variant *variant,
              const struct operation *operation, struct geometry wanted, uint64_t n,
              const char *why, const char *mark)
{
    static struct evidence found; // these two are large
    static struct pattern pattern;
    // A simulator starts with memory full of zeros, and takes its time: --races asks it what it is
    // good at.
    if (strstr(session->device.name, "Oclgrind") ||
        wrong_identity(session, variant, operation, wanted, n, mark) ||
        !probe(session, variant, operation, wanted, n, &found))
        return;
    bool value = strncmp(why, "expected ", 9) == 0;
    if (found.nothing_wrong && !value)
        return;
    if (found.nothing_wrong) {
        bool summed = operation->meets == BY_ADDING &&
                      !operation->floating; // that is what has just been asked
        char again[400];
        double wall;
        printf("%seach element counts once: as a sum of words it comes out right\n", mark);
        printf("%slikely: %s\n", mark,
               !operation->commutative ? "the order: is a left operand on the right somewhere?"
               : operation->has_index  ? "the index: load(in, i) notes the i that it is given"
               : summed && check_size(session, variant, operation, wanted, n, &wall, again) !=
                               EXIT_WRONG
                   ? "a race: wrong a moment ago, right now, on the same input"
               : summed ? "what is done to the values: a sign, a type, or a limit that these words "
                          "do not meet"
                        : "the operator: is something else used than load() and combine()?");
        return;
    }
    printf("%sn = %" PRIu64 ", %" PRIu64 " groups of %zu:\n", mark, found.n, found.groups,
           found.group);
    if (found.varies) { // any figure would be another one the next time
        printf("%stwo runs on the same input differ\n", mark);
    } else {
        if (found.zeros)
            printf("%sof nothing but zeros it makes %" PRIu32 "\n", mark, found.zeros);
        if (found.stale)
            printf("%swhat stood in out before comes into the result, %" PRId32 " times\n", mark,
                   (int32_t)found.stale);
        if (found.scratch)
            printf("%swhat stood in local memory before comes into the result, %" PRId32 " times\n",
                   mark, (int32_t)found.scratch);
        if (found.beyond)
            printf("%swhat lies beyond the last element comes into the result: %" PRId32
                   " elements\n",
                   mark, (int32_t)found.beyond);
        find_pattern(&found, &pattern);
        print_parts(&found, &pattern, mark);
    }
    printf("%slikely: %s\n", mark, likely(&found, &pattern));
}
