/* 25 longest_run: the length of the longest sequence of equal neighbours.
 *
 *   in    1 1 0 0 0 0 1 0 …                      int, 0 or 1; one in eight is 1
 *   out   n, first, last, before, after, best    six uint for each group
 */
#define MADE(word) ((int)((word) % 8 == 0))
#include "../beyond.h"

#include <inttypes.h>
#include <stdio.h>

struct runs {
    uint32_t n, first, last, before, after, best;
};

static struct runs join(struct runs a, struct runs b)
{
    struct runs both = { a.n + b.n, a.first, b.last,
                         a.before,  b.after, a.best > b.best ? a.best : b.best };
    if (a.n == 0 || b.n == 0)
        return a.n == 0 ? b : a;
    if (a.last == b.first) {
        both.best = a.after + b.before > both.best ? a.after + b.before : both.best;
        both.before += a.before == a.n ? b.before : 0;
        both.after += b.after == b.n ? a.after : 0;
    }
    return both;
}

static void reference(const struct data *data, void *result)
{
    uint32_t best = 0, length = 0;
    for (uint64_t i = 0; i < data->n; i++) {
        const bool is_longer = i > 0 && element_of(data, i) == element_of(data, i - 1);
        length = is_longer ? length + 1 : 1;
        best = length > best ? length : best;
    }
    memcpy(result, &best, sizeof best);
}

static uint32_t elements; // of all groups together, by the last fold()

static void fold(const void *partials, uint64_t count, void *result)
{
    const struct runs *partial = partials;
    struct runs all = { 0 };
    for (uint64_t g = 0; g < count / 6; g++)
        all = join(all, partial[g]);
    elements = all.n;
    memcpy(result, &all.best, sizeof all.best);
}

static const char *explain_value(const struct data *data, const void *wrong)
{
    static char text[200];
    uint32_t got, right;
    memcpy(&got, wrong, sizeof got);
    reference(data, &right);
    if (elements != data->n) {
        snprintf(text, sizeof text, "the n of all groups add up to %s than %" PRIu64 ": %s",
                 elements < data->n ? "less" : "more", data->n,
                 elements < data->n
                     ? "are elements lost?"
                     : "do elements count twice, or does an accumulator not begin with n = 0?");
        return text;
    }
    if (got == 0)
        return "there is no run at all, although a single element is a run of 1";
    if (got < right)
        return "a run is cut where two parts meet: does the kernel join the parts in order, and "
               "both ends of each?";
    return "the kernel joins elements that are not neighbours: in join(a, b), part b must begin "
           "where part a ends";
}

static void plan(struct reduction *reduction)
{
    launch_once(reduction, choose_groups(reduction, 8 * reduction->device->compute_units), 6);
}

int main(int argc, char **argv)
{
    struct operation longest = operation_sum_int;
    longest.op = "longest_run";
    // After the input there are zeros, because another value would seldom change a longest run.
    longest.options =
        "-D OPERATOR=sum -D ELEMENT=int -D WINNER=0 -D MADE(word)=((int)((word)%8==0))";
    longest.reference = reference;
    longest.fold = fold;
    longest.explain_value = explain_value;
    const struct variant variants[] = { { "longest_run",
                                          "./steps/exercises/25_longest_run/solution.cl", plan,
                                          .scratch_values = 6 },
                                        { NULL } };
    const struct step step = { 25, "longest_run", 0, variants, &longest };
    return step_main(argc, argv, &step);
}
