/* From what probe.c has found out to words: first what is lost or counted twice, then the likely
 * reason.
 *
 *   # 4 groups of 48: elements 228..230 are lost: the tail behind the last whole vector of 4
 *   # likely: nobody reads what is left behind the last whole vector
 *
 * The first line is measured. The second is what most often has that effect: an experienced guess.
 */
#include "diagnose.h"

#include "likely.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Which elements, how often they count, and what they are to the kernel. */
static void print_range(const struct evidence *found, const struct part *part, uint64_t limit)
{
    const uint64_t n = found->n, w = found->group, width = found->width, tile = found->tile,
                   block = found->block, from = part->from,
                   to = part->to < limit ? part->to : limit, length = to - from;
    const int times = part->times;
    const bool end = to == n;
    const struct phrase elements[] = {
        { length == n, "all elements are " },
        { length == 1, "element %zu is ", from },
        { true, "elements %zu..%zu are ", from, to - 1 },
    };
    const struct phrase counts[] = {
        { times == MIXED, "not all counted once" },
        { times == CHANGED, "counted as another value" },
        { times == 0, "lost" },
        { times == 2, "counted twice" },
        { true, "counted %zu times", (uint64_t)times },
    };
    const struct phrase roles[] = {
        { length == n, "" },
        { length == 1 && end && tile == 1, ": the last one" },
        { end && tile > width && from == n / tile * tile,
          ": the tail behind the last whole tile of %zu lanes x %zu", found->lanes, width },
        { end && width > 1 && from == n / width * width,
          ": the tail behind the last whole vector of %zu", width },
        { end && w > 1 && from == n / w * w && found->one_each, ": the last partial group" },
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
           found->group);
    if (found->varies) { // any figure would be another one the next time
        printf("%stwo runs on the same input differ\n", mark);
        return;
    }
    if (found->no_identity)
        printf("%sof nothing but %s, the identity of %s, it makes %s\n", mark,
               operation->show(operation->identity).text, operation->op,
               operation->show(&found->nothing).text);
    if (found->stale)
        printf("%swhat stood in out before comes into the result, %u times\n", mark, found->stale);
    if (found->scratch)
        printf("%swhat stood in local memory before comes into the result, %u times\n", mark,
               found->scratch);
    if (found->beyond)
        printf("%swhat lies beyond the last element comes into the result: %u elements\n", mark,
               found->beyond);
    for (; wrong < found->parts && found->part[wrong].from < end; wrong++) {
        if (wrong < SHOWN) {
            fputs(mark, stdout);
            print_range(found, &found->part[wrong], end);
        }
    }
    if (wrong > SHOWN)
        printf("%sand %d more such ranges\n", mark, wrong - SHOWN);
    if (wrong && end < found->n)
        printf("%sand so on, every %" PRIu64 " elements\n", mark, end);
}

static void say_cause(struct session *session, const struct trial *trial, const char *mark)
{
    static struct evidence found; // large
    const struct operation *operation = trial->operation;
    const char *reason = session->run.reason; // until something else is planned
    const bool value = strncmp(reason, "expected ", 9) == 0;
    struct trial plain = *trial; // in as many groups as the plan itself takes, if that is wrong too
    plain.geometry.groups = session->options->groups.value[0];
    // A simulator starts with memory full of zeros, and takes its time: --races asks it what it is
    // good at. What is written where nothing belongs has been named.
    if (operation->slip || session->device.simulated || strncmp(reason, "writes ", 7) == 0)
        return;
    if (!probe(session, &plain, &found)) {
        printf("%sno cause: that is asked of a sum of words, as which it does not compile or run\n",
               mark);
        return;
    }
    if (!found.wrong && plain.geometry.groups != trial->geometry.groups)
        probe(session, trial, &found);
    found.no_sum &= !found.varies && (operation->has_extreme || operation->floating);
    if (found.no_sum) {
        printf("%sas a sum of words it makes of all not what both halves make together\n", mark);
    } else if (found.wrong) {
        print_evidence(&found, mark);
    } else if (value) {
        printf("%seach element counts once: as a sum of words it comes out right\n", mark);
        // Does the same trial come out right when it is run again?
        found.varies = check_trial(session, trial) != EXIT_WRONG;
    } else {
        return; // not the value was wrong
    }
    print_likely(&found, operation, mark);
}

void diagnose(struct session *session, const struct trial *trial, const char *mark)
{
    struct kernels *kernels = session->device.kernels;
    const int before = kernels->if_broken;
    kernels->if_broken = HIDE_LOG; // it is tried as another operation
    say_cause(session, trial, mark);
    kernels->if_broken = before;
}
