/* 24 count_positives: how many of n elements are greater than 0?
 *
 *   in    x0 x1 x2 …      int, one in 16 is 0, and one in 16 is INT_MIN
 *   out   a count for each group
 */
#define MADE(word) ((word) % 16 > 1 ? (int)(word) : (word) % 2 ? INT_MIN : 0)
#include "../beyond.h"

struct counts {
    uint32_t positive, zero, lowest;
};

static struct counts count_first(const struct data *data, uint64_t n)
{
    struct counts counts = { 0 };
    for (uint64_t i = 0; i < n; i++) {
        counts.positive += element_of(data, i) > 0;
        counts.zero += element_of(data, i) == 0;
        counts.lowest += element_of(data, i) == INT_MIN;
    }
    return counts;
}

static void reference(const struct data *data, void *result)
{
    const struct counts counts = count_first(data, data->n);
    memcpy(result, &counts.positive, sizeof counts.positive);
}

static void fold(const void *partials, uint64_t groups, void *result)
{
    const uint32_t *count = partials;
    uint32_t all = 0;
    for (uint64_t g = 0; g < groups; g++)
        all += count[g];
    memcpy(result, &all, sizeof all);
}

static const char *explain_value(const struct data *data, const void *wrong)
{
    const struct counts all = count_first(data, data->n);
    const uint32_t in_vectors = count_first(data, data->n / 4 * 4).positive;
    uint32_t got;
    memcpy(&got, wrong, sizeof got);
    const bool is_negative = got == -all.positive || got == all.positive - 2 * in_vectors,
               is_without_tail = got == in_vectors;
    if (is_negative && is_without_tail)
        return "a comparison of vectors gives -1 where it is true, or no work-item reads the last "
               "n mod 4 elements";
    if (is_negative)
        return "a comparison of vectors gives -1 where it is true, not 1";
    if (is_without_tail)
        return "no work-item reads the last n mod 4 elements";
    if (got == all.positive + all.zero && all.zero == all.lowest)
        return "0 is not positive: write > 0, not >= 0. Or the least int counts as positive, "
               "because "
               "-INT_MIN is INT_MIN";
    if (got == all.positive + all.zero)
        return "0 is not positive: write > 0, not >= 0";
    if (got == data->n - all.positive - all.zero)
        return "this is the number of negative elements";
    if (got == data->n - all.zero)
        return "this is the number of elements that are not 0";
    if (got == all.positive + all.lowest)
        return "the least int counts as positive: its negative does not fit, so -INT_MIN is "
               "INT_MIN. Compare x itself with 0";
    return NULL;
}

static void plan(struct reduction *reduction)
{
    launch_once(reduction, choose_groups(reduction, 8 * reduction->device->compute_units), 1);
}

int main(int argc, char **argv)
{
    struct operation count = operation_sum_int;
    count.op = "positives";
    count.options = "-D OPERATOR=sum -D ELEMENT=int "
                    "-D MADE(word)=((word)%16>1?(int)(word):(word)%2?INT_MIN:0)";
    count.reference = reference;
    count.fold = fold;
    count.explain_value = explain_value;
    const struct variant variants[] = {
        { "positives", "./steps/exercises/24_count_positives/solution.cl", plan }, { NULL }
    };
    const struct step step = { 24, "count_positives", 0, variants, &count };
    return step_main(argc, argv, &step);
}
