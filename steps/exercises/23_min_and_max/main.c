/* 23 min_and_max: the minimum and the maximum of n elements. All elements are negative. With even
 * seeds one in 16 is INT_MIN; the judge verifies with an even and an odd seed.
 *
 *   in    x0 x1 x2 …                 int
 *   out   min max | min max | …      an int2 for each group
 */
#define MADE(word) (seed % 2 || (word) % 16 ? -1 - (int)((word) >> 2) : INT_MIN)
#include "../beyond.h"

#include <stdio.h>

struct extremes {
    int32_t min, max;
};
static const struct extremes of_no_element = { INT32_MAX, INT32_MIN };

static struct extremes combine_extremes(struct extremes a, struct extremes b)
{
    return (struct extremes) { a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max };
}

static void reference(const struct data *data, void *result)
{
    struct extremes all = of_no_element;
    for (uint64_t i = 0; i < data->n; i++) {
        const int32_t x = element_of(data, i);
        all = combine_extremes(all, (struct extremes) { x, x });
    }
    memcpy(result, &all, sizeof all);
}

static void fold(const void *partials, uint64_t count, void *result)
{
    const struct extremes *partial = partials;
    struct extremes all = of_no_element;
    for (uint64_t g = 0; g < count; g++)
        all = combine_extremes(all, partial[g]);
    memcpy(result, &all, sizeof all);
}

static struct shown show(const void *result)
{
    struct extremes both;
    memcpy(&both, result, sizeof both);
    struct shown shown = { .number = both.max };
    snprintf(shown.text, sizeof shown.text, "%d %d", both.min, both.max);
    return shown;
}

static const char *explain_value(const struct data *data, const void *wrong)
{
    struct extremes got, right;
    memcpy(&got, wrong, sizeof got);
    reference(data, &right);
    if (got.max == 0)
        return "0 is greater than all elements: does the maximum begin with 0?";
    if (got.min < right.min)
        return "the minimum is less than all elements: does a value that is no element enter it, "
               "such as the identity of the maximum? In OpenCL C, (a, b) without (int2) before it "
               "is b";
    if (got.min > right.min)
        return "the minimum is not the least element";
    if (got.max == of_no_element.max && right.min == INT32_MIN)
        return "the maximum is INT_MIN, as if there were no element: does the kernel compute it, "
               "and without -x? In int, -INT_MIN overflows";
    if (got.max == of_no_element.max)
        return "the kernel does not compute the maximum";
    return "the minimum is right, but the maximum is not";
}

static void plan(struct reduction *reduction)
{
    launch_once(reduction, choose_groups(reduction, 8 * reduction->device->compute_units), 1);
}

int main(int argc, char **argv)
{
    struct operation both = operation_sum_int;
    both.op = "min_and_max";
    both.options = "-D OPERATOR=sum -D ELEMENT=int "
                   "-D MADE(word)=(seed%2||(word)%16?-1-(int)((word)>>2):INT_MIN)";
    both.value_bytes = sizeof(struct extremes);
    both.reference = reference;
    both.fold = fold;
    both.show = show;
    both.explain_value = explain_value;
    const struct variant variants[] = {
        { "min_and_max", "./steps/exercises/23_min_and_max/solution.cl", plan }, { NULL }
    };
    const struct step step = { 23, "min_and_max", 0, variants, &both };
    return step_main(argc, argv, &step);
}
