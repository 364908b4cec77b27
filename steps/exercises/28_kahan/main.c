/* 28 kahan: the sum of n floats between 0 and 1, by one work-item, as exact as a float can be.
 *
 *   in    multiples of 2^-24     float
 *   out   one sum
 */
#define ELEMENT float
#define MADE(word) ((float)((word) >> 8) * 0x1p-24f)
#include "beyond.h"

#include <stdio.h>

static double right; // what reference() has found last; a sum of 2^29 of them is exact in double
static double off;   // how far the last result was off, in units of the float's last place

static void reference(const struct data *data, void *result)
{
    right = 0;
    for (uint64_t i = 0; i < data->n; i++)
        right += (double)element_of(data, i);
    *(float *)result = (float)right;
}

/* Kahan's bound is two roundings: what lies within that is taken for right. */
static void fold(const void *partials, uint64_t count, void *result)
{
    const float sum = *(const float *)partials;
    (void)count;
    off = ((double)sum - right) / (right > 0 ? right * 0x1p-23 : 1);
    *(float *)result = off * off <= 2 * 2 ? (float)right : sum;
}

static struct shown show(const void *result)
{
    struct shown shown = { .number = *(const float *)result };
    snprintf(shown.text, sizeof shown.text, "%.9g", shown.number);
    return shown;
}

static const char *slip(const struct data *data, const void *wrong)
{
    static char text[160];
    (void)data, (void)wrong;
    snprintf(text, sizeof text,
             "it is off by %.0f roundings: what an addition rounds away is lost, or comes back "
             "with the wrong sign",
             off < 0 ? -off : off);
    return text;
}

static bool plan(struct run *run)
{
    struct array sum = partials(run, 1);
    stage(run, run->elements, sum, 1, 1);
    finish_on_host(run, sum);
    return true;
}

int main(int argc, char **argv)
{
    struct operation kahan = operation_sum_int;
    kahan.type = "float";
    kahan.options = "-D OPERATOR=sum -D ELEMENT=float -D MADE(word)=((float)((word)>>8)*0x1p-24f)";
    kahan.reference = reference;
    kahan.fold = fold;
    kahan.show = show;
    kahan.slip = slip;
    const struct variant variants[] = { { "mine", "steps/exercises/28_kahan/solution.cl", plan },
                                        { NULL } };
    const struct step step = { 28, "kahan", 0, variants, &kahan };
    return step_main(argc, argv, &step);
}
