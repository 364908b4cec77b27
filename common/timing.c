/* From the command line's lists of sizes and group sizes to rows. */
#include "session.h"

#include "report.h"
#include <inttypes.h>
#include <stdio.h>

enum { WRONG_HERE = -1 };

/* A wrong result takes the place of its row. */
static void report_wrong(const struct variant *variant, uint64_t n, const char *why)
{
    printf("WRONG: %s at n = %" PRIu64 ": %s\n", variant->name, n, why);
}

/* A few sizes before anything is timed, none larger than what will be timed: in a simulator a small n must be quick.
 * Returns the seconds per element of the largest, or WRONG_HERE. */
static double quick_check(struct session *session, const struct variant *variant, const struct operation *operation,
                          struct geometry wanted)
{
    static const uint64_t sizes[] = { 1, 255, 257, 4097, 1000003 };
    const struct numbers *wanted_n = &session->options->n;
    uint64_t most = 0, largest = 1;
    double wall = 0;
    for (int i = 0; i < wanted_n->count; i++)
        most = wanted_n->value[i] > most ? wanted_n->value[i] : most;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; i++) {
        char why[400];
        largest = sizes[i];
        if (check_size(session, variant, operation, wanted, sizes[i], &wall, why) == EXIT_WRONG) {
            report_wrong(variant, sizes[i], why);
            return WRONG_HERE;
        }
    }
    return wall / largest;
}

/* What the rows of one call have in common. */
struct timing {
    struct session *session;
    const struct operation *operation;
    struct limit limit;
    struct data_file file;
    bool alone, one_row, head; // one variant; and one row of it; the table's head is printed
};

/* One row. Returns its exit status, and through *per_element what the next row is predicted from. */
static int time_row(struct timing *timing, const struct variant *variant, struct geometry wanted, uint64_t n,
                    double *per_element)
{
    struct session *session = timing->session;
    const struct options *options = session->options;
    const struct rules rules = { (int)options->repetitions.value[0], options->repetitions.count > 0, options->seconds };
    const struct data data = { .n = n, .seed = (uint32_t)options->seed.value[0], .planted = n / 3 };
    struct input input = input_make(&session->device, &session->kernels, timing->operation, data);
    struct run run;
    struct row row;
    char why[400];
    int status = 0;

    bool planned = session_plan(session, &run, variant, timing->operation, &input, wanted);
    if (timing->alone && session_unused(session))
        fail("%s: %s has no use for it", session_unused(session), variant->name);
    if (!planned) {
        fprintf(stderr, "%s: %s is not supported here: %s\n", program_name, variant->name, run.plan->reason);
        status = EXIT_UNSUPPORTED;
    } else if (!measure(&run, &input, &timing->limit, rules, &row, why)) {
        report_wrong(variant, n, why);
        status = EXIT_WRONG;
    } else {
        // The file is named after what was run, so it is opened with the first row that there is.
        if (options->out && !timing->file.text)
            timing->file = data_open(session->step, &run, options, timing->limit.evict_bytes);
        if (options->out)
            data_row(&timing->file, &row);
        if (!timing->head)
            report_head(session->step, &session->device, timing->operation, options, timing->limit.evict_bytes);
        timing->head = true;
        report_row(variant, &row);
        if (timing->one_row)
            report_stages(&run, &row);
        *per_element = row.wall.median / n;
    }
    plan_release(&run);
    input_release(&input);
    return status;
}

/* One variant: a row for every group size and n. */
static int time_variant(struct timing *timing, const struct variant *variant)
{
    const struct options *options = timing->session->options;
    int groups = options->group.count ? options->group.count : 1, status = 0;

    timing->file = (struct data_file) { .text = NULL };
    for (int g = 0; g < groups && !status; g++) {
        struct geometry wanted = { options->group.count ? options->group.value[g] : 0, options->groups.value[0],
                                   options->force };
        double per_element = quick_check(timing->session, variant, timing->operation, wanted);
        if (per_element == WRONG_HERE)
            status = EXIT_WRONG;
        for (int i = 0; i < options->n.count && !status; i++) {
            uint64_t n = options->n.value[i];
            double predicted = per_element * n * (options->repetitions.value[0] + 3);
            if (predicted <= options->limit_seconds) {
                status = time_row(timing, variant, wanted, n, &per_element);
            } else {
                char comment[100];
                snprintf(comment, sizeof comment, "n = %" PRIu64 " left out: about %.0f s, more than --limit-seconds",
                         n, predicted);
                printf("%-14s %s\n", variant->name, comment);
                data_comment(&timing->file, comment);
            }
        }
    }
    data_close(&timing->file);
    return status;
}

/* What is written between repetitions: as much as the last-level cache holds, within reason. */
static uint64_t evict_bytes(const struct device *device, const struct options *options)
{
    const uint64_t gpu_least = 64 << 20, most = 512 << 20;
    uint64_t bytes = device->cache_bytes;
    if (device->gpu && bytes < gpu_least)
        bytes = gpu_least;
    if (bytes > most)
        bytes = most;
    return options->warm ? 0 : options->evict.count ? options->evict.value[0] : bytes;
}

int time_variants(struct session *session, const struct variant *const *variants, const struct operation *operation)
{
    const struct options *options = session->options;
    struct timing timing = { .session = session, .operation = operation, .alone = !variants[1] };
    int status = 0;

    timing.limit = limit_open(&session->device, &session->kernels, evict_bytes(&session->device, options));
    timing.one_row = timing.alone && options->n.count == 1 && options->group.count <= 1;
    if (options->out)
        data_folder(options->out);
    for (; *variants; variants++) {
        int one = time_variant(&timing, *variants);
        if (one == EXIT_WRONG || (one && timing.alone))
            status = one;
    }
    limit_close(&timing.limit);
    if (session_unused(session))
        fail("%s: no variant here has a use for it", session_unused(session));
    return status;
}
