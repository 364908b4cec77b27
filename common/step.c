#include "step.h"

#include "data_file.h"
#include "judge/judge.h"
#include "measure.h"
#include "report.h"
#include "verify.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct table { // what the rows of one call share
    const struct request *request;
    struct limits limits;
    struct data_file file;      // of one variant
    struct reduction reduction; // planned last
    struct problem problem;     // at hand: its variant, operation, geometry and n
    bool has_plan, has_head, has_one_row;
    unsigned options_used;      // by any plan
    double seconds_per_element; // of this geometry so far, at best
};

/* The first plan shows which options it uses. An option without use is refused before anything is
 * measured or written. (With several variants, one may use what another does not.) */
static void accept_first_plan(struct table *table)
{
    const struct request *request = table->request;
    const struct options *options = request->options;
    table->options_used |= table->reduction.options_used;
    if (table->has_plan || table->reduction.state != PLAN_READY)
        return;
    table->has_plan = true;
    if (!request->variants[1])
        refuse_unused_options(options, table->options_used | USED_IN_TIMING | USED_FOR_DATA,
                              request->step->name);
    if (options->out)
        create_data_folder(options->out);
}

static int status_of(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_RIGHT: return STATUS_RIGHT;
    case VERDICT_WRONG: return STATUS_WRONG;
    default: return STATUS_UNSUPPORTED;
    }
}

/* Verifies the problem with another n. */
static int verify_size(struct table *table, uint64_t n)
{
    const struct request *request = table->request;
    const struct options *options = request->options;
    table->problem.n = n;
    const enum verdict verdict =
        verify_problem(&table->reduction, request->device, &table->problem,
                       (uint32_t)options->seed.value[0], options->op != NULL);
    accept_first_plan(table);
    if (verdict == VERDICT_RIGHT)
        table->seconds_per_element =
            fmin(table->seconds_per_element, table->reduction.wall / (double)n);
    return status_of(verdict);
}

/* Measures the problem, prints its row, and writes it where --out says. */
static int time_row(struct table *table)
{
    const struct request *request = table->request;
    const struct options *options = request->options;
    const struct problem *problem = &table->problem;
    const struct data data = { problem->n, problem->n / 3, PLAIN,
                               (uint32_t)options->seed.value[0] };
    struct reduction *reduction = &table->reduction;
    struct row row;
    // A sum shows every element at once. A minimum or maximum needs several inputs for that.
    if (problem->operation->has_extreme && verify_size(table, problem->n) == STATUS_WRONG)
        return STATUS_WRONG;
    release_reduction(reduction);
    if (!plan_reduction(reduction, request->device, problem)) {
        fprintf(stderr, "%s: %s is not supported here: %s\n", program_name, problem->variant->name,
                reduction->reason);
        return STATUS_UNSUPPORTED;
    }
    accept_first_plan(table);
    make_data(reduction, data);
    if (!measure(reduction, &table->limits, options, &row))
        return STATUS_WRONG;

    if (options->out)
        write_row(&table->file, request->step, options, reduction, &row,
                  table->limits.evict_bytes);
    if (!table->has_head)
        print_table_head(request->step, request->device, problem->operation, options,
                         table->limits.evict_bytes);
    table->has_head = true;
    print_row(reduction, &row, options);
    if (table->has_one_row)
        print_details(reduction, &row);
    table->seconds_per_element =
        fmin(table->seconds_per_element, row.wall.median / (double)problem->n);
    return STATUS_RIGHT;
}

/* Skips a row that would take too long, and says so on the screen and in the data file. */
static void skip_row(struct table *table, double seconds)
{
    char comment[120];
    snprintf(comment, sizeof comment,
             "n = %" PRIu64 " left out: about %.3g s, over the %g of --limit-seconds",
             table->problem.n, seconds, table->request->options->limit_seconds);
    printf("%-13s %s\n", table->problem.variant->name, comment);
    write_comment(&table->file, comment);
}

/* The rows of one geometry, one for each n. Before a row is timed, a few smaller sizes are
 * verified. They also show how long the row will take. */
static int time_geometry(struct table *table)
{
    static const uint64_t small[] = { 1, 2, 255, 256, 257, 4096, 4097, 1000003, UINT64_MAX };
    const struct options *options = table->request->options;
    const double runs = (double)options->repetitions.value[0] + 3; // with those that verify
    const uint64_t *next = small;
    int status = STATUS_RIGHT;
    table->seconds_per_element = INFINITY;
    for (int i = 0; i < options->n.count && status == STATUS_RIGHT; i++) {
        for (; *next <= options->n.value[i] && status == STATUS_RIGHT; next++)
            status = verify_size(table, *next);
        if (status == STATUS_WRONG)
            return status;
        table->problem.n = options->n.value[i];
        const double seconds = table->seconds_per_element * (double)table->problem.n * runs;
        if (seconds > options->limit_seconds && status != STATUS_UNSUPPORTED)
            skip_row(table, seconds);
        else
            status = time_row(table); // what is unsupported says why there
    }
    return status;
}

/* All geometries of one variant. Unsupported means: in none of them. */
static int time_variant(struct table *table, const struct variant *variant)
{
    const struct request *request = table->request;
    int status = STATUS_UNSUPPORTED;
    table->file.stream = NULL;
    for (int i = 0; i < count_geometries(request->options) && status != STATUS_WRONG; i++) {
        table->problem = make_problem(request, variant, request->operations[0],
                                      choose_geometry(request->options, i), 1);
        const int of_geometry = time_geometry(table);
        if (of_geometry != STATUS_UNSUPPORTED)
            status = of_geometry;
    }
    close_data_file(&table->file);
    return status;
}

static int time_variants(struct request *request)
{
    static struct table table; // too large for the stack
    const struct options *options = request->options;
    const bool is_alone = !request->variants[1];
    int status = STATUS_RIGHT;
    table = (struct table) { .request = request, .limits = open_limits(request->device, options) };
    table.has_one_row = is_alone && options->n.count == 1 && count_geometries(options) == 1;
    for (int i = 0; request->variants[i]; i++) {
        const int of_variant = time_variant(&table, request->variants[i]);
        if (of_variant == STATUS_WRONG) {
            printf("WRONG: %s at n = %" PRIu64 ": %s\n", request->variants[i]->name,
                   table.problem.n, table.reduction.reason);
            judge(JUDGE_EXPLAINS, request, &table.reduction, NULL);
        }
        if (of_variant == STATUS_WRONG || (of_variant == STATUS_UNSUPPORTED && is_alone))
            status = of_variant;
    }
    release_reduction(&table.reduction);
    close_limits(&table.limits);
    if (table.has_plan)
        refuse_unused_options(options, table.options_used | USED_IN_TIMING | USED_FOR_DATA,
                              request->step->name);
    return status;
}

/* Everything that needs a device. What the device makes impossible is refused first. */
static int run_on_device(struct request *request)
{
    const struct options *options = request->options;
    struct device device = open_device(options->device);
    int status;
    request->device = &device;
    watch_runs(options->timeout, request->is_supervised);
    if (options->facts) {
        print_facts(&device, options->sub_groups);
        close_device(&device);
        return STATUS_RIGHT;
    }
    for (int i = 0; i < options->group.count; i++)
        if (options->group.value[i] > device.group_limit)
            fail("--group %" PRIu64 ": this device has groups of at most %zu",
                 options->group.value[i], device.group_limit);
    for (int i = 0; i < options->n.count; i++)
        require_room(&device, request->operations[0], options->n.value[i]);
    status = options->check || options->races ? judge(JUDGE_CHECKS, request, NULL, NULL)
                                              : time_variants(request);
    close_device(&device);
    return status;
}

static void print_variants(const struct variant *variant)
{
    for (; variant->name; variant++)
        printf("%-14s %-24s %s\n", variant->name, variant->kernel ? variant->kernel : "-",
               variant->article ? variant->article : "");
}

/* What needs no device, or who runs the rest: this process, or one that the judge supervises. */
static int run_request(const struct options *options, const struct step *step)
{
    if (options->help)
        print_help();
    else if (options->version)
        printf("%s (%s) 1.0\n", program_name, step->name);
    else if (options->list)
        print_devices(options->device);
    else if (options->variants)
        print_variants(step->variants);
    if (options->help || options->version || options->list || options->variants)
        return STATUS_RIGHT;

    struct request request = choose_request(step, options);
    if (!request.operations[0]) {
        fprintf(options->check ? stdout : stderr, "%s: %s has %s\n",
                options->check ? "1..0 # SKIP" : program_name, options->op,
                list_operation_names(options->op));
        return options->check ? STATUS_RIGHT : STATUS_UNSUPPORTED;
    }
    if (options->races)
        refuse_unused_options(options, USES_ALL, "--races");
    if (options->check)
        refuse_unused_options(options, USES_ALL | USED_FOR_DATA, "--check");
    if (options->check || options->races || options->kernel)
        return judge(JUDGE_SUPERVISES, &request, NULL, run_on_device);
    return run_on_device(&request);
}

int step_main(int argc, char **argv, const struct step *step)
{
    const struct options options = parse_options(argc, argv);
    const int status = run_request(&options, step);
    flush_output();
    return status;
}
