/* 23 min_and_max: the least and the greatest of n elements, all of them negative.
 *
 *   in    x0 x1 x2 …                 int
 *   out   min max | min max | …      an int2 for each group
 */
#define MADE(word) (-1 - (int)((word) >> 2))
#include "beyond.h"

#include <stdio.h>

static void reference(const struct data *data, void *result)
{
    int32_t *both = result;
    both[0] = INT32_MAX;
    both[1] = INT32_MIN;
    for (uint64_t i = 0; i < data->n; i++) {
        const int32_t x = element_of(data, i);
        both[0] = x < both[0] ? x : both[0];
        both[1] = x > both[1] ? x : both[1];
    }
}

static void fold(const void *partials, uint64_t count, void *result)
{
    const int32_t *partial = partials;
    int32_t *both = result;
    both[0] = INT32_MAX;
    both[1] = INT32_MIN;
    for (uint64_t g = 0; g < count; g++) {
        both[0] = partial[2 * g] < both[0] ? partial[2 * g] : both[0];
        both[1] = partial[2 * g + 1] > both[1] ? partial[2 * g + 1] : both[1];
    }
}

static struct shown show(const void *result)
{
    const int32_t *both = result;
    struct shown shown = { .number = both[1] };
    snprintf(shown.text, sizeof shown.text, "%d %d", both[0], both[1]);
    return shown;
}

static const char *slip(const struct data *data, const void *wrong)
{
    const int32_t *got = wrong;
    int32_t right[2];
    reference(data, right);
    const bool least = memcmp(got, right, sizeof *got) == 0;
    return got[1] == 0 ? "0 is greater than all elements: a maximum begins with it"
           : least && got[1] == INT32_MIN ? "nobody looks for the maximum"
           : least                        ? "the minimum is right, the maximum is not"
                                          : "the minimum is not right";
}

static bool plan(struct run *run)
{
    return launch_once(run, group_count(run, 8 * run->device->compute_units), 1);
}

int main(int argc, char **argv)
{
    struct operation both = operation_sum_int;
    both.op = "min_and_max";
    both.options = "-D OPERATOR=sum -D ELEMENT=int -D MADE(word)=(-1-(int)((word)>>2))";
    both.value_bytes = 8;
    both.reference = reference;
    both.fold = fold;
    both.show = show;
    both.slip = slip;
    const struct variant variants[] = {
        { "mine", "steps/exercises/23_min_and_max/solution.cl", plan }, { NULL }
    };
    const struct step step = { 23, "min_and_max", 0, variants, &both };
    return step_main(argc, argv, &step);
}
