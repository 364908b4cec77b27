/* 22 mean_variance: mean and variance of n lengths in nanometres. All are close to 1 m, so the sum
 * of their squares cancels.
 *
 *   in    10^9 … 10^9 + 1023         long
 *   out   n, mean, M2 | …            three double for each group; M2: sum of (x - mean)^2
 */
#define ELEMENT long
#define MADE(word) (1000000000 + (long)((word) % 1024))
#include "../beyond.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { WRONG_MEAN = -1 }; // instead of the variance, which is never negative

/* Of the last reference(). fold() replaces a variance that is close enough by the right one. */
static double right, right_mean;

static double elements, folded_mean; // of all groups together, by the last fold()

/* The distances from 10^9 are small integers, so long holds their squares exactly. */
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
    memcpy(result, &right, sizeof right);
}

static void fold(const void *partials, uint64_t count, void *result)
{
    const double *partial = partials;
    double n = 0, mean = 0, m2 = 0;
    for (uint64_t k = 0; k < count; k += 3, partial += 3) {
        const double distance = partial[1] - mean, both = n + partial[0];
        if (!(partial[0] > 0))
            continue;
        m2 += partial[2] + distance * distance * n * partial[0] / both;
        mean += distance * partial[0] / both;
        n = both;
    }
    double variance = m2 / n;
    elements = n;
    folded_mean = mean;
    if (fabs(mean - right_mean) > 1e-3)
        variance = WRONG_MEAN;
    else if (fabs(variance - right) <= 1e-4 * (right + 1)) // merging has an error of about 10^-7
        variance = right;
    memcpy(result, &variance, sizeof variance);
}

static struct shown show(const void *result)
{
    struct shown shown;
    memcpy(&shown.number, result, sizeof shown.number);
    if (shown.number == WRONG_MEAN) {
        snprintf(shown.text, sizeof shown.text, "a mean of %.12g", folded_mean);
        shown.number = NAN; // has no difference from a variance
    } else
        snprintf(shown.text, sizeof shown.text, "a variance of %.10g", shown.number);
    return shown;
}

static const char *explain_value(const struct data *data, const void *wrong)
{
    static char text[300];
    double got;
    memcpy(&got, wrong, sizeof got);
    if (isnan(got))
        return "0 / 0 is no number: a work-item without an element has n = 0, and so has a group "
               "of such work-items";
    if (elements != (double)data->n) {
        snprintf(text, sizeof text,
                 "the n of all groups do not add up to %" PRIu64
                 ": does each group write n, mean and M2, as doubles?",
                 data->n);
        return text;
    }
    if (got == WRONG_MEAN) {
        snprintf(text, sizeof text,
                 "the mean is %.12g, not %.12g: does each of the two means have the right weight? "
                 "If you subtract something from each element, do you add it again? Is a float, "
                 "which has 24 bits, enough?",
                 folded_mean, right_mean);
        return text;
    }
    if (got < right)
        return "the variance is too small: is the distance between the two means missing, or M2 "
               "already divided by n? Or has x * x cancelled? (Close to 10^18 a double is exact "
               "only to 128.)";
    return "the variance is too large: does the square of the distance between the two means "
           "count too often? Or has x * x cancelled? (Close to 10^18 a double is exact only to "
           "128.)";
}

static void plan(struct reduction *reduction)
{
    launch_once(reduction, choose_groups(reduction, 8 * reduction->device->compute_units), 3);
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
    moments.explain_value = explain_value;
    const struct variant variants[] = { { "mean_variance",
                                          "./steps/exercises/22_mean_variance/solution.cl", plan,
                                          .scratch_values = 3 },
                                        { NULL } };
    const struct step step = { 22, "mean_variance", 0, variants, &moments };
    return step_main(argc, argv, &step);
}
