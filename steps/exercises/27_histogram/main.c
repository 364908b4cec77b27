/* 27 histogram: how often does each of 256 values occur? With even seeds all elements are equal.
 *
 *   in    the lower 8 bits of each element are its bin     int
 *   out   256 counts for each group
 */
#define MADE(word) (seed % 2 ? (int)(word) : 77)
#include "beyond.h"

enum { BINS = 256 };

static uint32_t bin_of(const struct data *data, uint64_t i)
{
    return (uint32_t)element_of(data, i) % BINS;
}

static void reference(const struct data *data, void *result)
{
    uint32_t count[BINS] = { 0 };
    for (uint64_t i = 0; i < data->n; i++)
        count[bin_of(data, i)]++;
    const uint32_t hash = hash_results(count, BINS);
    memcpy(result, &hash, sizeof hash);
}

static void fold(const void *partials, uint64_t values, void *result)
{
    const uint32_t *partial = partials;
    uint32_t count[BINS] = { 0 };
    for (uint64_t k = 0; k < values; k++)
        count[k % BINS] += partial[k];
    const uint32_t hash = hash_results(count, BINS);
    memcpy(result, &hash, sizeof hash);
}

static const char *guess_cause(const struct data *data, const void *wrong)
{
    (void)data, (void)wrong;
    return "the two numbers stand for all bins together. A count is lost or added twice, or a bin "
           "does not begin at 0: does a group of fewer than 256 work-items set all 256 bins, and "
           "does a barrier follow each of the first two loops?";
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
    histogram.guess_cause = guess_cause;
    const struct variant variants[] = {
        { "mine", "./steps/exercises/27_histogram/solution.cl", plan }, { NULL }
    };
    const struct step step = { 27, "histogram", 0, variants, &histogram };
    return step_main(argc, argv, &step);
}
