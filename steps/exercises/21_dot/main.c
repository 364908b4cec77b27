/* 21 dot: the sum of all products x * y, where x and y lie side by side.
 *
 *   in    x0 y0 | x1 y1 | x2 y2 …      an element is a pair, 8 bytes; in one of 16 pairs, both
 *                                      are INT_MIN
 *   out   one sum for each group, modulo 2^64
 */
#define ELEMENT long
#define MADE(word) ((word) % 16 ? (long)(word) : (long)0x8000000080000000)
#include "../beyond.h"

struct sums {
    uint64_t xy, x, y, xx;
};

/* Of the first n pairs. */
static struct sums compute_sums(const struct data *data, uint64_t n)
{
    struct sums sums = { 0 };
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t pair = (uint64_t)element_of(data, i);
        const int64_t x = (int32_t)(uint32_t)pair, y = (int32_t)(uint32_t)(pair >> 32);
        sums.xy += (uint64_t)(x * y);
        sums.x += (uint64_t)x;
        sums.y += (uint64_t)y;
        sums.xx += (uint64_t)(x * x);
    }
    return sums;
}

static void reference(const struct data *data, void *result)
{
    const struct sums sums = compute_sums(data, data->n);
    memcpy(result, &sums.xy, sizeof sums.xy);
}

static void fold(const void *partials, uint64_t count, void *result)
{
    const uint64_t *sum = partials;
    uint64_t all = 0;
    for (uint64_t g = 0; g < count; g++)
        all += sum[g];
    memcpy(result, &all, sizeof all);
}

/* The sum of the products if only their lower 32 bits count. */
static uint64_t sum_of_int_products(const struct data *data)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < data->n; i++) {
        const uint64_t pair = (uint64_t)element_of(data, i);
        sum += (uint64_t)(int64_t)(int32_t)((uint32_t)pair * (uint32_t)(pair >> 32));
    }
    return sum;
}

static const char *explain_value(const struct data *data, const void *wrong)
{
    const struct sums sums = compute_sums(data, data->n);
    uint64_t got;
    memcpy(&got, wrong, sizeof got);
    if (got == sums.x)
        return "this is the sum of all x: the kernel does not use y";
    if (got == sums.x + sums.y)
        return "this is the sum of all x and all y: multiply the two of each pair";
    if (got == sums.xx)
        return "this is the sum of x times x";
    if (got == sums.x * sums.y)
        return "this is the sum of all x times the sum of all y: multiply before you add";
    if (got == sum_of_int_products(data))
        return "the product of two int is an int, so its upper half is lost: write (long)x * y";
    if (got == compute_sums(data, data->n + 1).xy)
        return "the kernel also reads the pair after the last one: does the loop end at i < n?";
    return NULL;
}

static void plan(struct reduction *reduction)
{
    launch_once(reduction, choose_groups(reduction, 8 * reduction->device->compute_units), 1);
}

int main(int argc, char **argv)
{
    struct operation dot = operation_sum_long;
    dot.op = "dot";
    dot.options = "-D OPERATOR=sum -D ELEMENT=long "
                  "-D MADE(word)=((word)%16?(long)(word):(long)0x8000000080000000)";
    dot.reference = reference;
    dot.fold = fold;
    dot.explain_value = explain_value;
    const struct variant variants[] = { { "dot", "./steps/exercises/21_dot/solution.cl", plan },
                                        { NULL } };
    const struct step step = { 21, "dot", 0, variants, &dot };
    return step_main(argc, argv, &step);
}
