/* 24 count_positives: how many of n elements are greater than 0.
 *
 *   in    x0 x1 x2 …      int, one in 16 is 0
 *   out   a count for each group
 *
 * Of seeds 2 and 3 none is positive: Oclgrind 21.10, which takes a vector's true for 255, is right
 * then.
 */
#define MADE(word) (!((word)&15) ? 0 : seed / 2 == 1 ? -1 : (int)(word))
#include "beyond.h"

static void counts(const struct data *data, uint64_t end, uint32_t *positive, uint32_t *zero)
{
    *positive = *zero = 0;
    for (uint64_t i = 0; i < end; i++) {
        *positive += element_of(data, i) > 0;
        *zero += element_of(data, i) == 0;
    }
}

static void reference(const struct data *data, void *result)
{
    uint32_t zero;
    counts(data, data->n, result, &zero);
}

static void fold(const void *partials, uint64_t groups, void *result)
{
    const uint32_t *count = partials;
    uint32_t all = 0;
    for (uint64_t g = 0; g < groups; g++)
        all += count[g];
    *(uint32_t *)result = all;
}

static const char *slip(const struct data *data, const void *wrong)
{
    const uint32_t got = *(const uint32_t *)wrong;
    uint32_t positive, zero, in_vectors, of_them_zero;
    counts(data, data->n, &positive, &zero);
    counts(data, data->n / 4 * 4, &in_vectors, &of_them_zero);
    const bool negative = got == -positive || got == positive - 2 * in_vectors;
    const bool tail = got == in_vectors;
    return negative && tail ? "a comparison of vectors gives -1 where it is true, or nobody looks "
                              "at the last n mod 4"
           : negative       ? "a comparison of vectors gives -1 where it is true, not 1"
           : tail           ? "nobody looks at the last n mod 4 elements"
           : got == positive + zero ? "0 is not positive: > 0, not >= 0"
                                    : NULL;
}

static bool plan(struct run *run)
{
    return launch_once(run, group_count(run, 8 * run->device->compute_units), 1);
}

int main(int argc, char **argv)
{
    struct operation count = operation_sum_int;
    count.op = "positives";
    count.options = "-D OPERATOR=sum -D ELEMENT=int "
                    "-D MADE(word)=(!((word)&15)?0:seed/2==1?-1:(int)(word))";
    count.reference = reference;
    count.fold = fold;
    count.slip = slip;
    const struct variant variants[] = {
        { "mine", "steps/exercises/24_count_positives/solution.cl", plan }, { NULL }
    };
    const struct step step = { 24, "count_positives", 0, variants, &count };
    return step_main(argc, argv, &step);
}
