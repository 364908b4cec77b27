/* 22 mean_variance: of n lengths in nanometres, all near 1 m, so that a sum of squares cancels.
 *
 *   in    10^9 … 10^9 + 1023         long
 *   out   n, mean, M2 | …            three double for each group; M2: sum of (x - mean)^2
 */
#define ELEMENT long
#define MADE(word) (1000000000 + (long)((word) % 1024))
#include "beyond.h"

#include <math.h>
#include <stdio.h>

enum { WRONG_MEAN = -1 }; // in place of a variance, which is never negative

static double right, right_mean; // what reference() has found last: what is near is taken for it

/* About 10^9 these are small integers: exact in long. */
static void reference(const struct data *data, void *result)
{
    int64_t sum = 0, squares = 0;
    for (uint64_t i = 0; i < data->n; i++) {
        const int64_t x = element_of(data, i) - 1000000000;
        sum += x;
        squares += x * x;
    }
    const double n = (double)data->n, mean = (double)sum / n;
    right = (double)squares / n - mean * mean;
    right_mean = 1e9 + mean;
    *(double *)result = right;
}

static void fold(const void *partials, uint64_t count, void *result)
{
    const double *partial = partials;
    double n = 0, mean = 0, m2 = 0, *variance = result;
    for (uint64_t k = 0; k < count; k += 3, partial += 3) {
        const double apart = partial[1] - mean, both = n + partial[0];
        if (!(partial[0] > 0))
            continue;
        m2 += partial[2] + apart * apart * n * partial[0] / both;
        mean += apart * partial[0] / both;
        n = both;
    }
    *variance = m2 / n;
    if (fabs(mean - right_mean) > 1e-3)
        *variance = WRONG_MEAN;
    else if (fabs(*variance - right) <= 1e-4 * (right + 1)) // merging has an error of 10^-7 or so
        *variance = right;
}

static struct shown show(const void *result)
{
    struct shown shown = { .number = *(const double *)result };
    if (shown.number == WRONG_MEAN)
        snprintf(shown.text, sizeof shown.text, "another mean");
    else
        snprintf(shown.text, sizeof shown.text, "a variance of %.10g", shown.number);
    return shown;
}

static const char *slip(const struct data *data, const void *wrong)
{
    const double got = *(const double *)wrong;
    (void)data;
    return got == WRONG_MEAN
               ? "the mean is wrong: how much does each of both weigh, is what was taken "
                 "away put back?"
           : isnan(got) ? "0 / 0: a work-item without an element, and a group of them, has n = 0"
           : got < right
               ? "what lies between the means is missing, or cancelled: near 10^9 a double "
                 "of x * x is exact to 128 only"
               : "the square of the distance between the means counts too often, or x * x "
                 "has cancelled: near 10^9 a double of it is exact to 128 only";
}

static bool plan(struct run *run)
{
    scratch_values(run, 3);
    return launch_once(run, group_count(run, 8 * run->device->compute_units), 3);
}

int main(int argc, char **argv)
{
    struct operation moments = operation_sum_double;
    moments.op = "variance";
    moments.type = "long";
    moments.options = "-D OPERATOR=sum -D ELEMENT=long "
                      "-D MADE(word)=(1000000000+(long)((word)%1024))";
    moments.reference = reference;
    moments.fold = fold;
    moments.show = show;
    moments.slip = slip;
    const struct variant variants[] = {
        { "mine", "steps/exercises/22_mean_variance/solution.cl", plan }, { NULL }
    };
    const struct step step = { 22, "mean_variance", 0, variants, &moments };
    return step_main(argc, argv, &step);
}
