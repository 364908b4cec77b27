/* From the command line's lists of sizes and group sizes to rows. */
#include "session.h"

#include "check/diagnose.h"
#include "data_file.h"
#include "report.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A wrong result takes the place of its row. */
static void report_wrong(struct session *session, const struct variant *variant,
                         const struct operation *operation, struct geometry wanted, uint64_t n,
                         const char *why)
{
    printf("WRONG: %s at n = %" PRIu64 ": %s\n", variant->name, n, why);
    session->kernels.forgiving = session->kernels.log_shown =
        true; // the diagnosis tries it as another operation
    diagnose(session, variant, operation, wanted, n, why, "  ");
}

/* What the time of a row is predicted from: the sizes of the quick check and the largest row so
 * far, ascending. */
struct pace {
    uint64_t n[9];
    double wall[9];
    int sizes;
};

static void pace_add(struct pace *pace, uint64_t n, double wall)
{
    int last = pace->sizes - 1, room = sizeof pace->n / sizeof *pace->n;
    if (last >= 0 && n < pace->n[last])
        return;
    last = pace->sizes < room ? pace->sizes++ : last;
    pace->n[last] = n;
    pace->wall[last] = wall;
}

/* As the next larger size there, or the largest, in the ratio of the sizes; but no less than the
 * next smaller one. */
static double predicted_seconds(const struct pace *pace, uint64_t n)
{
    const uint64_t least = 1 << 16; // below it, launches and not elements are what takes the time
    int i = 0;
    while (i < pace->sizes - 1 && pace->n[i] < n)
        i++;
    double share = pace->wall[i] * n / pace->n[i], smaller = i ? pace->wall[i - 1] : 0;
    if (n > pace->n[i]) // beyond the largest
        return pace->n[i] < least ? pace->wall[i] : share;
    return share < smaller ? smaller : share;
}

/* A few sizes before anything is timed, none larger than what will be timed: in a simulator a small
 * n must be quick. */
static int quick_check(struct session *session, const struct variant *variant,
                       const struct operation *operation, struct geometry wanted, struct pace *pace)
{
    static const uint64_t sizes[] = { 1, 2, 255, 256, 257, 4096, 4097, 1000003 };
    const struct numbers *wanted_n = &session->options->n;
    uint64_t most = 0;
    int status = 0;
    for (int i = 0; i < wanted_n->count; i++)
        most = wanted_n->value[i] > most ? wanted_n->value[i] : most;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most && !status; i++) {
        char why[400];
        double wall = 0;
        status = check_size(session, variant, operation, wanted, sizes[i], &wall, why);
        pace_add(pace, sizes[i], wall);
        if (status == EXIT_WRONG)
            report_wrong(session, variant, operation, wanted, sizes[i], why);
    }
    return status == EXIT_WRONG ? status : 0; // what is unsupported is said by the row
}

/* What the rows of one call have in common. */
struct timing {
    struct session *session;
    const struct operation *operation;
    struct limit limit;
    struct data_file *file;    // NULL: none yet
    char left_out[LIST * 128]; // comments that wait for the file
    bool alone, one_row, head; // one variant; and one row of it; the table's head is printed
};

/* A row that is right, on its way out. */
static void put_row(struct timing *timing, const struct run *run, const struct row *row)
{
    const struct options *options = timing->session->options;
    // The file is named after what was run, so it is opened with the first row that there is.
    if (options->out && !timing->file) {
        timing->file = data_open(timing->session->step, run, options, timing->limit.evict_bytes);
        data_comment(timing->file, timing->left_out);
    }
    if (options->out)
        data_row(timing->file, row);
    if (!timing->head)
        report_head(timing->session->step, run->device, run->operation, options,
                    timing->limit.evict_bytes);
    timing->head = true;
    report_row(run->variant, row, options);
    if (timing->one_row)
        report_stages(run, row);
}

/* One row: the extreme at every place where one is lost easily, then the times. Returns the exit
 * status. */
static int time_row(struct timing *timing, const struct variant *variant, struct geometry wanted,
                    uint64_t n, struct pace *pace)
{
    struct session *session = timing->session;
    const struct options *options = session->options;
    const struct rules rules = { options->repetitions.value[0], options->repetitions.count > 0,
                                 options->seconds };
    const uint32_t seed = (uint32_t)options->seed.value[0];
    char why[400] = "";
    double wall;
    bool once_is_enough =
        !timing->operation->has_extreme && !options->uniform; // a sum shows every element at once
    int status =
        once_is_enough ? 0 : check_size(session, variant, timing->operation, wanted, n, &wall, why);
    const struct data data = {
        .n = n, .seed = seed, .planted = n / 3, .uniform = options->uniform
    };
    struct input input = input_make(&session->device, &session->kernels, timing->operation, data);
    struct run run;
    struct row row;

    if (!session_plan(session, &run, variant, timing->operation, &input, wanted)) {
        fprintf(stderr, "%s: %s is not supported here: %s\n", program_name, variant->name,
                run.plan->reason);
        status = EXIT_UNSUPPORTED;
    } else if (status == EXIT_WRONG || !measure(&run, &input, &timing->limit, rules, &row, why)) {
        report_wrong(session, variant, timing->operation, wanted, n, why);
        status = EXIT_WRONG;
    } else {
        put_row(timing, &run, &row);
        pace_add(pace, n, row.wall.median);
    }
    plan_release(&run);
    input_release(&input);
    return status;
}

/* Says so to people at once, and in the data before the next row. */
static void leave_out(struct timing *timing, const struct variant *variant, uint64_t n,
                      double predicted)
{
    char comment[100];
    snprintf(comment, sizeof comment,
             "n = %" PRIu64 " left out: about %.3g s, over the %g of --limit-seconds", n, predicted,
             timing->session->options->limit_seconds);
    printf("%-13s %s\n", variant->name, comment);
    if (timing->file)
        data_comment(timing->file, comment);
    else
        snprintf(timing->left_out + strlen(timing->left_out), 128, "%s%s",
                 *timing->left_out ? "\n# " : "", comment);
}

/* One variant: a row for every group size and n. 77 if not one of its group sizes is supported. */
static int time_variant(struct timing *timing, const struct variant *variant)
{
    const struct options *options = timing->session->options;
    int groups = options->group.count ? options->group.count : 1,
        widths = options->width.count ? options->width.count : 1, status = 0, unsupported = 0;

    timing->file = NULL;
    timing->left_out[0] = '\0';
    for (int i = 0; i < groups * widths && status != EXIT_WRONG; i++) {
        struct geometry wanted = { options->group.count ? options->group.value[i / widths] : 0,
                                   options->groups.value[0], options->force,
                                   (int)options->width.value[i % widths] };
        struct pace pace = { .sizes = 0 };
        status = quick_check(timing->session, variant, timing->operation, wanted, &pace);
        for (int k = 0; k < options->n.count && !status; k++) {
            uint64_t n = options->n.value[k];
            double predicted = predicted_seconds(&pace, n) * (options->repetitions.value[0] + 3);
            if (predicted > options->limit_seconds)
                leave_out(timing, variant, n, predicted);
            else
                status = time_row(timing, variant, wanted, n, &pace);
        }
        unsupported += status == EXIT_UNSUPPORTED;
    }
    data_close(timing->file);
    return status == EXIT_WRONG ? status : unsupported == groups * widths ? EXIT_UNSUPPORTED : 0;
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

int time_variants(struct session *session, const struct variant *const *variants,
                  const struct operation *operation)
{
    const struct options *options = session->options;
    struct timing timing = { .session = session, .operation = operation, .alone = !variants[1] };
    int status = 0;

    timing.limit =
        limit_open(&session->device, &session->kernels, evict_bytes(&session->device, options));
    timing.one_row = timing.alone && options->n.count == 1 && options->group.count <= 1 &&
                     options->width.count <= 1;
    for (; *variants; variants++) {
        int one = time_variant(&timing, *variants);
        if (one == EXIT_WRONG || (one && timing.alone))
            status = one;
    }
    limit_close(&timing.limit);
    return status;
}
