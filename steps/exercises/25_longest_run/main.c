/* 25 longest_run: how many equal elements stand side by side, at most.
 *
 *   in    1 1 0 0 0 0 1 0 …                      int, 0 or 1; one in eight is another than before
 *   out   n, first, last, before, after, best    six uint for each group
 */
#define MADE(word) ((int)((word) % 8 == 0))
#include "beyond.h"

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
    uint32_t *best = result, now = 0;
    *best = 0;
    for (uint64_t i = 0; i < data->n; i++) {
        now = i > 0 && element_of(data, i) == element_of(data, i - 1) ? now + 1 : 1;
        *best = now > *best ? now : *best;
    }
}

static void fold(const void *partials, uint64_t count, void *result)
{
    const struct runs *partial = partials;
    struct runs all = { 0 };
    for (uint64_t g = 0; g < count / 6; g++)
        all = join(all, partial[g]);
    *(uint32_t *)result = all.best;
}

static const char *slip(const struct data *data, const void *wrong)
{
    const uint32_t got = *(const uint32_t *)wrong;
    uint32_t right;
    reference(data, &right);
    return got == 0 ? "no run at all: a single element is a run of 1, and none may be left over"
           : got > data->n ? "more elements than there are: some count twice"
           : got < right
               ? "a run is cut where two parts meet: are they joined in order, with both ends?"
               : "elements that are no neighbours are joined: each part must lie right "
                 "behind the other";
}

static bool plan(struct run *run)
{
    scratch_values(run, 6);
    return launch_once(run, group_count(run, 8 * run->device->compute_units), 6);
}

int main(int argc, char **argv)
{
    struct operation longest = operation_sum_int;
    longest.op = "longest_run";
    longest.options = "-D OPERATOR=sum -D ELEMENT=int -D MADE(word)=((int)((word)%8==0))";
    longest.reference = reference;
    longest.fold = fold;
    longest.slip = slip;
    const struct variant variants[] = {
        { "mine", "steps/exercises/25_longest_run/solution.cl", plan }, { NULL }
    };
    const struct step step = { 25, "longest_run", 0, variants, &longest };
    return step_main(argc, argv, &step);
}
