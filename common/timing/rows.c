/* Before a row is timed, a few smaller sizes are checked; for min and max its own size, too, with
 * the extreme at each place that session.c names.
 */
#include "rows.h"

#include "data_file.h"
#include "limit.h"
#include "report.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct rows { // all of one call
    struct session *session;
    struct limit limit;
    struct data_file file; // of one variant
    bool head, only_one;   // the table's head is printed; there will be one row
    struct trial trial;    // the one at hand
};

/* A row that is right, on its way out. */
static void put_row(struct rows *rows, const struct run *run, const struct row *row)
{
    const struct session *session = rows->session;
    if (session->options->out)
        data_row(&rows->file, session, run, row, rows->limit.evict_bytes);
    if (!rows->head)
        report_head(session, rows->limit.evict_bytes);
    rows->head = true;
    report_row(run, row, session->options);
    if (rows->only_one)
        report_stages(run, row, session->options->uniform);
}

/* One row. 0, EXIT_WRONG, or EXIT_UNSUPPORTED. */
static int time_row(struct rows *rows)
{
    struct session *session = rows->session;
    const struct options *options = session->options;
    const struct trial *trial = &rows->trial;
    const struct data data = { .n = trial->n,
                               .seed = (uint32_t)options->seed.value[0],
                               .planted = trial->n / 3,
                               .uniform = options->uniform };
    if ((trial->operation->has_extreme || options->uniform) && // a sum shows every element at once
        check_trial(session, trial) == EXIT_WRONG)
        return EXIT_WRONG;

    struct run *run = &session->run;
    struct row row;
    if (!session_plan(session, trial)) {
        fprintf(stderr, "%s: %s is not supported here: %s\n", program_name, trial->variant->name,
                run->reason);
        return EXIT_UNSUPPORTED;
    }
    input_make(run, data);
    if (!measure(run, &rows->limit, options, &row))
        return EXIT_WRONG;
    put_row(rows, run, &row);
    session->pace = fmin(session->pace, row.wall.median / (double)trial->n);
    return 0;
}

/* Says so to people, and to who reads the data. */
static void leave_out(struct rows *rows, double seconds)
{
    char comment[100];
    snprintf(comment, sizeof comment,
             "n = %" PRIu64 " left out: about %.3g s, over the %g of --limit-seconds",
             rows->trial.n, seconds, rows->session->options->limit_seconds);
    printf("%-13s %s\n", rows->trial.variant->name, comment);
    if (rows->file.memory)
        data_comment(&rows->file, comment);
}

/* The rows of one geometry. A few sizes are right before a larger one is timed, and tell how long
 * that will take. */
static int rows_of_geometry(struct rows *rows)
{
    static const uint64_t few[] = { 1, 2, 255, 256, 257, 4096, 4097, 1000003, UINT64_MAX };
    struct session *session = rows->session;
    const struct options *options = session->options;
    const double runs = (double)options->repetitions.value[0] + 3; // before and after them
    const uint64_t *next = few;
    int status = 0;
    session->pace = INFINITY;
    for (int i = 0; i < options->n.count && !status; i++) {
        for (; *next <= options->n.value[i] && !status; next++) {
            rows->trial.n = *next;
            status = check_trial(session, &rows->trial);
        }
        if (status == EXIT_WRONG)
            return status;
        rows->trial.n = options->n.value[i];
        const double seconds = session->pace * (double)rows->trial.n * runs;
        if (seconds > options->limit_seconds && status != EXIT_UNSUPPORTED)
            leave_out(rows, seconds);
        else // what is unsupported is so there, too, and says why
            status = time_row(rows);
    }
    return status;
}

/* The rows of one variant, in each group size with each width. */
static int rows_of_variant(struct rows *rows, const struct variant *variant)
{
    struct session *session = rows->session;
    int status = EXIT_UNSUPPORTED; // in all of them
    rows->file.memory = NULL;
    for (int i = 0; i < session_geometries(session) && status != EXIT_WRONG; i++) {
        rows->trial =
            (struct trial) { variant, session->operations[0], session_geometry(session, i) };
        const int one = rows_of_geometry(rows);
        if (one != EXIT_UNSUPPORTED)
            status = one;
    }
    data_close(&rows->file);
    return status;
}

/* What is written between repetitions: as much as the last-level cache holds, within reason. */
static uint64_t evict_bytes(const struct device *device, const struct options *options)
{
    const uint64_t gpu_least = 64 << 20, most = 512 << 20;
    uint64_t bytes = last_level_cache(device);
    if (options->warm || options->evict.count)
        return options->evict.value[0];
    if (device->gpu && bytes < gpu_least)
        bytes = gpu_least;
    return bytes < most ? bytes : most;
}

int print_rows(struct session *session, diagnosis *diagnose)
{
    const struct options *options = session->options;
    const bool alone = !session->variants[1];
    const uint64_t evicted = evict_bytes(&session->device, options);
    struct rows rows = { session, limit_open(&session->device, evicted) };
    int status = 0;
    rows.only_one = alone && options->n.count == 1 && session_geometries(session) == 1;
    for (int i = 0; session->variants[i]; i++) {
        int one = rows_of_variant(&rows, session->variants[i]);
        if (one == EXIT_WRONG) {
            printf("WRONG: %s at n = %" PRIu64 ": %s\n", session->variants[i]->name, rows.trial.n,
                   session->run.reason);
            diagnose(session, &rows.trial, "  ");
        }
        if (one == EXIT_WRONG || (one && alone))
            status = one;
    }
    limit_close(&rows.limit);
    return status;
}
