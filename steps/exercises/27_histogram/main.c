/* 27 histogram: how often each of 256 values comes. Even seeds: all elements are equal.
 *
 *   in    the lower 8 bits of each element are its bin     int
 *   out   256 counts for each group
 */
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
    *(uint32_t *)result = together(count, BINS);
}

static void fold(const void *partials, uint64_t values, void *result)
{
    const uint32_t *partial = partials;
    uint32_t count[BINS] = { 0 };
    for (uint64_t k = 0; k < values; k++)
        count[k % BINS] += partial[k];
    *(uint32_t *)result = together(count, BINS);
}

static const char *slip(const struct data *data, const void *wrong)
{
    (void)data, (void)wrong;
    return "these numbers stand for all bins together; counts are lost, or come more than once, or "
           "bins are not set to 0: are there 256 bins in a group of fewer work-items, and a "
           "barrier behind each of both loops?";
}

static bool plan(struct run *run)
{
    return launch_once(run, group_count(run, 8 * run->device->compute_units), BINS);
}

int main(int argc, char **argv)
{
    struct operation histogram = operation_sum_int;
    histogram.op = "histogram";
    histogram.reference = reference;
    histogram.fold = fold;
    histogram.slip = slip;
    const struct variant variants[] = {
        { "mine", "steps/exercises/27_histogram/solution.cl", plan }, { NULL }
    };
    const struct step step = { 27, "histogram", 0, variants, &histogram };
    return step_main(argc, argv, &step);
}
