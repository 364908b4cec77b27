/* From the evidence to words: first which elements are lost or counted twice, then the likely
 * cause.
 *
 *   # 4 groups of 48: elements 228..230 are lost: the tail behind the last whole vector of 4
 *   # likely: nobody reads what is left behind the last whole vector
 *
 * The first line is measured. The second is what most often has that effect: an experienced guess.
 */
#include "explain.h"

#include "causes.h"
#include "probe.h"
#include "verify.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Which elements, how often they count, and what they are to the kernel. */
static void print_range(const struct evidence *found, const struct range *range, uint64_t limit)
{
    const uint64_t n = found->n, w = found->group_size, width = found->width, tile = found->tile,
                   block = found->block, from = range->from,
                   to = range->to < limit ? range->to : limit, length = to - from;
    const int count = range->count;
    const bool end = to == n;
    const struct phrase elements[] = {
        { length == n, "all elements are " },
        { length == 1, "element %zu is ", from },
        { true, "elements %zu..%zu are ", from, to - 1 },
    };
    const struct phrase counts[] = {
        { count == COUNT_IS_MIXED, "not all counted once" },
        { count == COUNT_IS_NONE, "counted as another value" },
        { count == 0, "lost" },
        { count == 2, "counted twice" },
        { true, "counted %zu times", (uint64_t)count },
    };
    const struct phrase roles[] = {
        { length == n, "" },
        { length == 1 && end && tile == 1, ": the last one" },
        { end && tile > width && from == n / tile * tile,
          ": the tail behind the last whole tile of %zu lanes x %zu", found->lanes, width },
        { end && width > 1 && from == n / width * width,
          ": the tail behind the last whole vector of %zu", width },
        { end && w > 1 && from == n / w * w && found->has_group_each, ": the last partial group" },
        { w > 1 && from % w == 0 && length == w, ": a whole group's, number %zu",
          from / w % found->groups },
        { w > 1 && from % w == 0 && (end || to % w == 0) && from / w < found->groups,
          ": whole groups', from number %zu on", from / w },
        { block > 1 && from % block == 0 && (length == block || (end && length < block)),
          ": the block of work-item %zu", from / block },
        { true, "" },
    };
    print_first(elements);
    print_first(counts);
    print_first(roles);
    puts("");
}

static void print_evidence(const struct evidence *found, const char *mark)
{
    const struct operation *operation = found->operation;
    enum { SHOWN = 3 }; // ranges, and of a pattern those of its first turn
    const uint64_t end = found->period ? found->period : found->n;
    int wrong = 0;
    printf("%sn = %" PRIu64 ", %" PRIu64 " groups of %" PRIu64 ":\n", mark, found->n, found->groups,
           found->group_size);
    if (found->varies) { // any figure would be another one the next time
        printf("%stwo runs on the same input differ\n", mark);
        return;
    }
    if (found->changes_identity)
        printf("%sof nothing but %s, the identity of %s, it makes %s\n", mark,
               operation->show(operation->identity).text, operation->op,
               operation->show(&found->of_identities).text);
    if (found->stale)
        printf("%swhat stood in out before comes into the result, %u times\n", mark, found->stale);
    if (found->scratch)
        printf("%swhat stood in local memory before comes into the result, %u times\n", mark,
               found->scratch);
    if (found->beyond)
        printf("%swhat lies beyond the last element comes into the result: %u elements\n", mark,
               found->beyond);
    for (; wrong < found->range_count && found->ranges[wrong].from < end; wrong++) {
        if (wrong < SHOWN) {
            fputs(mark, stdout);
            print_range(found, &found->ranges[wrong], end);
        }
    }
    if (wrong > SHOWN)
        printf("%sand %d more such ranges\n", mark, wrong - SHOWN);
    if (wrong && end < found->n)
        printf("%sand so on, every %" PRIu64 " elements\n", mark, end);
}

void explain_mistake(const struct request *request, struct reduction *wrong, const char *mark)
{
    static struct evidence found; // too large for the stack
    struct device *device = request->device;
    const struct problem problem = wrong->problem;
    const struct operation *operation = problem.operation;
    const enum mistake mistake = wrong->mistake;
    struct problem plain = problem; // in as many groups as the plan chooses, if that is wrong too
    plain.geometry.groups = request->options->groups.value[0];
    plain.on_build_failure = BUILD_FAILURE_IS_SILENT;
    // A simulator starts with memory full of zeros, and is slow: --races asks it for what it is
    // good at. A write where none belongs has been named already.
    if (operation->guess_cause || device->is_simulated || mistake == MISTAKE_WRITES_INPUT ||
        mistake == MISTAKE_WRITES_BEYOND_OUTPUT)
        return;
    if (!find_evidence(device, &plain, &found)) {
        printf("%sno cause: that is asked of a sum of words, as which it does not compile or run\n",
               mark);
        return;
    }
    if (!found.is_wrong && plain.geometry.groups != problem.geometry.groups)
        find_evidence(device, &problem, &found);
    found.is_no_sum &= !found.varies && (operation->has_extreme || operation->floating);
    if (found.is_no_sum) {
        printf("%sas a sum of words it makes of all not what both halves make together\n", mark);
    } else if (found.is_wrong) {
        print_evidence(&found, mark);
    } else if (mistake == MISTAKE_VALUE) {
        printf("%seach element counts once: as a sum of words it comes out right\n", mark);
        // Is the same problem right when it is run again?
        found.varies =
            verify_problem(wrong, device, &problem, (uint32_t)request->options->seed.value[0],
                           request->options->op != NULL) != STATUS_WRONG;
    } else {
        return;
    }
    print_likely_cause(&found, operation, mark);
}
