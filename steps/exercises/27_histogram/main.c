/* 27 histogram: how often does each of 256 values occur? With even seeds all elements are equal.
 *
 *   in    the lower 8 bits of each element are its bin     int
 *   out   256 counts for each group
 */
#define MADE(word) (seed % 2 ? (int)(word) : 77)
#include "../beyond.h"

#include <stdio.h>

enum { BINS = 256 };

static uint32_t bin_of(const struct data *data, uint64_t i)
{
    return (uint32_t)element_of(data, i) % BINS;
}

static void count_elements(const struct data *data, uint32_t *count)
{
    for (uint64_t i = 0; i < data->n; i++)
        count[bin_of(data, i)]++;
}

static void reference(const struct data *data, void *result)
{
    uint32_t count[BINS] = { 0 };
    count_elements(data, count);
    const uint32_t hash = hash_results(count, BINS);
    memcpy(result, &hash, sizeof hash);
}

static uint32_t last[BINS]; // the counts of the last fold()

static void fold(const void *partials, uint64_t values, void *result)
{
    const uint32_t *partial = partials;
    memset(last, 0, sizeof last);
    for (uint64_t k = 0; k < values; k++)
        last[k % BINS] += partial[k];
    const uint32_t hash = hash_results(last, BINS);
    memcpy(result, &hash, sizeof hash);
}

static const char *explain_value(const struct data *data, const void *wrong)
{
    static char text[400];
    uint32_t right[BINS] = { 0 };
    int too_small = 0, too_large = 0, first = 0;
    uint64_t counted = 0;
    (void)wrong;
    count_elements(data, right);
    for (int b = BINS - 1; b >= 0; b--) {
        counted += last[b];
        too_small += last[b] < right[b];
        too_large += last[b] > right[b];
        first = last[b] == right[b] ? first : b;
    }
    snprintf(text, sizeof text,
             "the two numbers stand for all bins together. Bins that are too small: %d, too large: "
             "%d; bin %d should hold %u. %s",
             too_small, too_large, first, right[first],
             counted == data->n ? "The counts add up to n, but some are in another bin."
             : too_large == 0   ? "Counts are lost: does the whole group share the bins, is each "
                                  "count an atomic, can a bin hold so many, and does a barrier "
                                  "follow each of the first two loops?"
                                : "Does the group set all 256 bins to 0 before it counts, also if "
                                  "it has fewer work-items, and does it write all 256 counts to "
                                  "its own place in out?");
    return text;
}

static void plan(struct reduction *reduction)
{
    launch_once(reduction, choose_groups(reduction, 8 * reduction->device->compute_units), BINS);
}

int main(int argc, char **argv)
{
    struct operation histogram = operation_sum_int;
    histogram.op = "histogram";
    histogram.options = "-D OPERATOR=sum -D ELEMENT=int -D MADE(word)=(seed%2?(int)(word):77)";
    histogram.reference = reference;
    histogram.fold = fold;
    histogram.explain_value = explain_value;
    const struct variant variants[] = {
        { "histogram", "./steps/exercises/27_histogram/solution.cl", plan }, { NULL }
    };
    const struct step step = { 27, "histogram", 0, variants, &histogram };
    return step_main(argc, argv, &step);
}
