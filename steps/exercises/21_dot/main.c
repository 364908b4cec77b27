/* 21 dot: the sum of all x y, of pairs that lie side by side.
 *
 *   in    x0 y0 | x1 y1 | x2 y2 …      an element is a pair, 8 bytes
 *   out   one sum for each group, modulo 2^64
 */
#define ELEMENT long
#include "beyond.h"

static void sums(const struct data *data, uint64_t end, uint64_t sum[4]) // of xy, x, y, xx
{
    memset(sum, 0, 4 * sizeof *sum);
    for (uint64_t i = 0; i < end; i++) {
        const uint64_t pair = (uint64_t)element_of(data, i);
        const int64_t x = (int32_t)(uint32_t)pair, y = (int32_t)(uint32_t)(pair >> 32);
        sum[0] += (uint64_t)(x * y);
        sum[1] += (uint64_t)x;
        sum[2] += (uint64_t)y;
        sum[3] += (uint64_t)(x * x);
    }
}

static void reference(const struct data *data, void *result)
{
    uint64_t sum[4];
    sums(data, data->n, sum);
    *(uint64_t *)result = sum[0];
}

static void fold(const void *partials, uint64_t count, void *result)
{
    const uint64_t *sum = partials;
    uint64_t all = 0;
    for (uint64_t g = 0; g < count; g++)
        all += sum[g];
    *(uint64_t *)result = all;
}

static const char *slip(const struct data *data, const void *wrong)
{
    const uint64_t got = *(const uint64_t *)wrong;
    uint64_t sum[4], low = 0;
    sums(data, data->n, sum);
    for (uint64_t i = 0; i < data->n; i++) {
        const uint64_t pair = (uint64_t)element_of(data, i);
        low += (uint64_t)(int64_t)(int32_t)((uint32_t)pair * (uint32_t)(pair >> 32));
    }
    return got == sum[1]   ? "the sum of all x: y is not used"
           : got == sum[3] ? "the sum of x times x"
           : got == sum[1] * sum[2]
               ? "the sum of all x times that of all y: multiply before you add"
           : got == low ? "the product of two int is an int, its upper half is lost: (long)x * y"
                        : NULL;
}

static bool plan(struct run *run)
{
    return launch_once(run, group_count(run, 8 * run->device->compute_units), 1);
}

int main(int argc, char **argv)
{
    struct operation dot = operation_sum_long;
    dot.op = "dot";
    dot.reference = reference;
    dot.fold = fold;
    dot.slip = slip;
    const struct variant variants[] = { { "mine", "steps/exercises/21_dot/solution.cl", plan },
                                        { NULL } };
    const struct step step = { 21, "dot", 0, variants, &dot };
    return step_main(argc, argv, &step);
}
