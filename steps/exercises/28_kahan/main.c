/* 28 kahan: the sum of n floats between 0 and 1, by one work-item, as exact as a float can be.
 *
 *   in    multiples of 2^-24     float
 *   out   one sum
 */
#define ELEMENT float
#define MADE(word) ((float)((word) >> 8) * 0x1p-24f)
#include "../beyond.h"

#include <stdio.h>

static double right; // of the last reference(): a double sums up to 2^29 such elements exactly
static double error; // of the last result, in units of the float's last place

static void reference(const struct data *data, void *result)
{
    right = 0;
    for (uint64_t i = 0; i < data->n; i++)
        right += (double)element_of(data, i);
    const float rounded = (float)right;
    memcpy(result, &rounded, sizeof rounded);
}

/* Kahan's error is at most two roundings, so a sum within this bound counts as right. */
static void fold(const void *partials, uint64_t count, void *result)
{
    float sum;
    (void)count;
    memcpy(&sum, partials, sizeof sum);
    error = ((double)sum - right) / (right > 0 ? right * 0x1p-23 : 1);
    sum = error * error <= 2 * 2 ? (float)right : sum;
    memcpy(result, &sum, sizeof sum);
}

static struct shown show(const void *result)
{
    float sum;
    memcpy(&sum, result, sizeof sum);
    struct shown shown = { .number = sum };
    snprintf(shown.text, sizeof shown.text, "%.9g", shown.number);
    return shown;
}

static const char *explain_value(const struct data *data, const void *wrong)
{
    static char text[200];
    (void)data, (void)wrong;
    snprintf(text, sizeof text,
             "the sum is off by %.0f roundings: does the kernel lose the part that an addition "
             "rounds away, or add it with the wrong sign? Or does it lose an element?",
             error < 0 ? -error : error);
    return text;
}

static void plan(struct reduction *reduction)
{
    struct array sum = add_array(reduction, 1);
    add_stage(reduction, reduction->elements, sum, 1, 1);
    add_host_finish(reduction, sum);
}

int main(int argc, char **argv)
{
    struct operation kahan = operation_sum_int;
    kahan.type = "float";
    kahan.options = "-D OPERATOR=sum -D ELEMENT=float -D MADE(word)=((float)((word)>>8)*0x1p-24f)";
    kahan.reference = reference;
    kahan.fold = fold;
    kahan.show = show;
    kahan.explain_value = explain_value;
    const struct variant variants[] = { { "kahan", "./steps/exercises/28_kahan/solution.cl", plan },
                                        { NULL } };
    const struct step step = { 28, "kahan", 0, variants, &kahan };
    return step_main(argc, argv, &step);
}
