/* A row is preceded by what it needs to be believed: a few sizes, then its own with the extreme at
 * every place.
 */
#include "rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the time of a row is predicted from: n = 1 and the largest n so far. */
struct pace {
    uint64_t n;
    double least, wall;
};

static void pace_add(struct pace *pace, uint64_t n, double wall)
{
    if (pace->n == 0)
        pace->least = wall;
    if (n >= pace->n)
        *pace = (struct pace) { n, pace->least, wall };
}

static double predicted_seconds(const struct pace *pace, uint64_t n)
{
    const uint64_t small = 1 << 16; // below it, launches and not elements are what takes the time
    if (n > pace->n && pace->n < small)
        return pace->wall;
    double share = pace->wall * (double)n / (double)pace->n;
    return share > pace->least ? share : pace->least;
}

/* A few sizes before anything is timed, none larger than what will be timed: in a simulator a small
 * n must be quick. What is unsupported is said by the row. */
static int quick_check(struct rows *rows, struct trial trial, struct pace *pace,
                       struct failure *failure)
{
    static const uint64_t sizes[] = { 1, 2, 255, 256, 257, 4096, 4097, 1000003 };
    const struct numbers *wanted = &rows->session->options->n;
    uint64_t most = 0;
    int status = 0;
    for (int i = 0; i < wanted->count; i++)
        most = wanted->value[i] > most ? wanted->value[i] : most;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most && !status; i++) {
        double wall = 0;
        trial.n = sizes[i];
        failure->trial = trial;
        status = check_size(rows->session, &trial, &wall, failure->why);
        pace_add(pace, trial.n, wall);
    }
    return status == EXIT_WRONG ? status : 0;
}

/* A row that is right, on its way out. */
static void put_row(struct rows *rows, const struct run *run, const struct row *row)
{
    const struct session *session = rows->session;
    const char *folder = session->options->out;
    // The file is named after what was run, so it is opened with the first row that there is.
    if (folder && !rows->file) {
        rows->file = data_open(session, run, rows->limit.evict_bytes);
        data_comment(rows->file, rows->left_out);
    }
    if (folder)
        data_row(rows->file, row);
    if (!rows->head)
        report_head(session, run->operation, rows->limit.evict_bytes);
    rows->head = true;
    report_row(run->variant, row, session->options);
    if (rows->one_row)
        report_stages(run, row);
}

/* One row: the extreme at every place where one is lost easily, then the times. */
static int time_row(struct rows *rows, const struct trial *trial, struct pace *pace,
                    struct failure *failure)
{
    struct session *session = rows->session;
    const struct options *options = session->options;
    const struct rules rules = { options->repetitions.value[0], options->repetitions.count > 0,
                                 options->seconds };
    const struct data data = { .n = trial->n,
                               .seed = (uint32_t)options->seed.value[0],
                               .planted = trial->n / 3,
                               .uniform = options->uniform };
    double wall;
    *failure = (struct failure) { .trial = *trial };
    int status = 0;
    if (trial->operation->has_extreme || options->uniform) // a sum shows every element at once
        status = check_size(session, trial, &wall, failure->why);

    struct input input = input_make(&session->device, &session->kernels, trial->operation, data);
    struct run run;
    struct row row;
    if (!session_plan(session, &run, trial, &input)) {
        fprintf(stderr, "%s: %s is not supported here: %s\n", program_name, trial->variant->name,
                run.plan->reason);
        status = EXIT_UNSUPPORTED;
    } else if (status == EXIT_WRONG ||
               !measure(&run, &input, &rows->limit, rules, &row, failure->why)) {
        status = EXIT_WRONG;
    } else {
        put_row(rows, &run, &row);
        pace_add(pace, trial->n, row.wall.median);
    }
    plan_release(&run);
    input_release(&input);
    return status;
}

/* Says so to people at once, and in the data before the next row. */
static void leave_out(struct rows *rows, const struct trial *trial, double predicted)
{
    char comment[100];
    snprintf(comment, sizeof comment,
             "n = %" PRIu64 " left out: about %.3g s, over the %g of --limit-seconds", trial->n,
             predicted, rows->session->options->limit_seconds);
    printf("%-13s %s\n", trial->variant->name, comment);
    if (rows->file)
        data_comment(rows->file, comment);
    else
        snprintf(rows->left_out + strlen(rows->left_out), 128, "%s%s",
                 *rows->left_out ? "\n# " : "", comment);
}

/* The rows of one geometry, a size each. */
static int rows_in(struct rows *rows, struct trial trial, struct failure *failure)
{
    const struct options *options = rows->session->options;
    struct pace pace = { .n = 0 };
    int status = quick_check(rows, trial, &pace, failure);
    for (int i = 0; i < options->n.count && !status; i++) {
        trial.n = options->n.value[i];
        double predicted =
            predicted_seconds(&pace, trial.n) * ((double)options->repetitions.value[0] + 3);
        if (predicted > options->limit_seconds)
            leave_out(rows, &trial, predicted);
        else
            status = time_row(rows, &trial, &pace, failure);
    }
    return status;
}

int rows_of(struct rows *rows, const struct variant *variant, struct failure *failure)
{
    const struct options *options = rows->session->options;
    const int groups = options->group.count ? options->group.count : 1,
              widths = options->width.count ? options->width.count : 1;
    int status = 0, unsupported = 0;
    rows->file = NULL;
    rows->left_out[0] = '\0';
    for (int i = 0; i < groups * widths && status != EXIT_WRONG; i++) {
        struct trial trial = { variant, rows->operation,
                               session_geometry(rows->session, i / widths, i % widths) };
        status = rows_in(rows, trial, failure);
        unsupported += status == EXIT_UNSUPPORTED;
    }
    data_close(rows->file);
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

struct rows rows_open(struct session *session, const struct operation *operation, bool alone)
{
    const struct options *options = session->options;
    struct rows rows = { .session = session, .operation = operation };
    rows.limit =
        limit_open(&session->device, &session->kernels, evict_bytes(&session->device, options));
    rows.one_row =
        alone && options->n.count == 1 && options->group.count <= 1 && options->width.count <= 1;
    return rows;
}

void rows_close(struct rows *rows) { limit_close(&rows->limit); }
