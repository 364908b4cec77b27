#include "step.h"

#include "data_file.h"
#include "judge/judge.h"
#include "measure.h"
#include "report.h"
#include "verify.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct table { // what the rows of one call share
    struct request *request;
    struct data_file file;      // of one variant
    struct problem problem;     // at hand
    struct reduction reduction; // planned last
    bool has_plan, has_head;    // so far
    bool is_single_row;
    unsigned options_used;      // by any plan
    double seconds_per_element; // of this geometry so far, at best
};

/* Plans the problem for n elements. The first plan shows which options it uses: an option without
 * use is refused then, before anything is measured or written. */
static bool plan_for(struct table *table, uint64_t n)
{
    const struct request *request = table->request;
    table->problem.n = n;
    const bool is_ready = plan_reduction(&table->reduction, request->device, &table->problem);
    table->options_used |= table->reduction.options_used;
    if (!is_ready || table->has_plan)
        return is_ready;
    table->has_plan = true;
    refuse_unused_options(request->options, table->options_used | USED_IN_TIMING | USED_FOR_DATA,
                          request->step->name);
    if (request->options->out)
        create_data_folder(request->options->out);
    return true;
}

/* Among several variants, one may use an option that another one does not. */
static void find_used_options(struct table *table)
{
    const struct request *request = table->request;
    table->has_plan = true; // until all variants are planned, none refuses an option
    for (int v = 0; request->variants[v]; v++) {
        table->problem.variant = request->variants[v];
        plan_for(table, request->options->n.value[0]);
    }
    table->has_plan = false;
}

/* A learner's minimum or maximum may be right although it loses elements. */
static bool loses_elements(struct table *table)
{
    return verify_as_sum(&table->reduction, table->request->seed) == STATUS_WRONG;
}

/* Measures the problem, prints its row, and writes it where --out says. */
static enum status time_row(struct table *table, uint64_t n)
{
    const struct request *request = table->request;
    const struct options *options = request->options;
    struct reduction *reduction = &table->reduction;
    struct row row;
    if (!plan_for(table, n)) {
        fprintf(stderr, "%s: %s is not supported here: %s\n", program_name,
                table->problem.variant->name, reduction->reason);
        return STATUS_UNSUPPORTED;
    }
    // measure() verifies on plain data, which is enough for a sum: it shows every element. A
    // minimum or maximum shows the extreme only, so it is verified with the extreme at several
    // places.
    if (table->problem.operation->has_extreme &&
        (verify_inputs(reduction, table->request->seed) == STATUS_WRONG ||
         (request->first.kernel_file && loses_elements(table))))
        return STATUS_WRONG;
    // The extreme of min and max is planted somewhere inside; a sum has none.
    make_data(reduction, (struct data) { n, .planted = n / 3, .kind = DATA_PLAIN,
                                         .seed = table->request->seed });
    if (!measure(reduction, NULL, options, &row))
        return STATUS_WRONG;
    table->seconds_per_element = fmin(table->seconds_per_element, row.wall.median / (double)n);

    if (options->out)
        write_row(&table->file, reduction, &row);
    if (!table->has_head)
        print_table_head(request->step, request->device, table->problem.operation, options,
                         table_columns);
    table->has_head = true;
    print_row(reduction, &row, options);
    if (table->is_single_row)
        print_details(reduction, &row);
    return STATUS_RIGHT;
}

/* Skips a row that would take too long, and says so on the screen and in the data file. */
static void skip_row(struct table *table, uint64_t n, double seconds)
{
    char comment[120];
    snprintf(comment, sizeof comment,
             "n = %" PRIu64 " left out: about %.3g s, over the %g of --limit-seconds", n, seconds,
             table->request->options->limit_seconds);
    printf("%-13s %s\n", table->problem.variant->name, comment);
    write_comment(&table->file, comment);
}

/* The rows of one variant and geometry, one for each n. Before a row is timed, a few smaller sizes
 * are verified. They also show how long the row will take. */
static enum status time_sizes(struct table *table)
{
    static const uint64_t small[] = { 1, 2, 255, 256, 257, 4096, 4097, 1000003, UINT64_MAX };
    const struct options *options = table->request->options;
    const double runs = (double)options->repetitions.value[0] + 3; // two that verify, a warm-up
    const uint64_t *next = small;
    enum status status = STATUS_RIGHT;
    table->seconds_per_element = INFINITY; // not known yet: then no row is skipped
    for (int i = 0; i < options->n.count && status == STATUS_RIGHT; i++) {
        const uint64_t n = options->n.value[i];
        for (; *next <= n; next++) {
            if (!plan_for(table, *next))
                break; // time_row() plans n, and reports what is unsupported
            if (verify_inputs(&table->reduction, table->request->seed) == STATUS_WRONG ||
                (table->request->first.kernel_file && loses_elements(table)))
                return STATUS_WRONG;
            table->seconds_per_element =
                fmin(table->seconds_per_element, table->reduction.wall / (double)*next);
        }
        const double seconds = table->seconds_per_element * (double)n * runs;
        if (seconds > options->limit_seconds && isfinite(seconds) && plan_for(table, n))
            skip_row(table, n, seconds);
        else
            status = time_row(table, n); // it also reports what is unsupported
    }
    return status;
}

/* --check and --races print no rows. Returns the exit status. */
static int run_without_rows(struct request *request)
{
    const struct options *options = request->options;
    if (options->races) // this is the process that --races has started
        return verify_inside_oclgrind(request);
    return check_matrix(request);
}

/* Everything that needs a device. Returns the exit status. */
static int run_request(struct request *request)
{
    const struct options *options = request->options;
    const bool is_alone = !request->variants[1];
    static struct device device; // the request points to it
    int worst = STATUS_RIGHT;
    device = open_device(options->device);
    request->device = &device;
    if (options->warm || options->evict.count) // evict_cache() writes whole vectors
        device.evict_bytes = options->warm ? 0 : options->evict.value[0] / 16 * 16;
    // Then a program reads standard output. But Oclgrind itself writes to it.
    if ((options->check || getenv("REDUCE_NO_PRINTF")) && !options->races && !device.is_simulated)
        hide_output_of_kernels();
    for (int i = 0; i < options->group.count; i++)
        require_group_size(&device, options->group.value[i]);
    for (int i = 0; i < options->n.count; i++)
        require_room(&device, options->n.value[i], request->operations[0]->element_bytes);
    watch_runs(options->timeout, request->watch);
    if (options->check || options->races) {
        worst = run_without_rows(request);
        close_device(&device);
        flush_output();
        return worst;
    }

    struct table table = { .request = request };
    table.is_single_row = is_alone && options->n.count == 1 && request->geometry_count == 1;
    table.problem = request->first;
    if (!is_alone)
        find_used_options(&table);
    for (int v = 0; request->variants[v]; v++) {
        enum status variant_status = STATUS_UNSUPPORTED; // unless a geometry is supported
        table.problem.variant = request->variants[v];
        if (options->out)
            open_data_file(&table.file, request, &table.problem, false);
        for (int g = 0; g < request->geometry_count && variant_status != STATUS_WRONG; g++) {
            table.problem.geometry = request->geometries[g];
            const enum status status = time_sizes(&table);
            variant_status = status == STATUS_UNSUPPORTED ? variant_status : status;
        }
        if (options->out)
            close_data_file(&table.file);
        if (variant_status == STATUS_WRONG) {
            printf("WRONG: %s at n = %" PRIu64 ": %s\n", request->variants[v]->name,
                   table.problem.n, table.reduction.reason);
            explain_mistake(request, &table.reduction, "  ");
        }
        if (variant_status == STATUS_WRONG || (variant_status == STATUS_UNSUPPORTED && is_alone))
            worst = variant_status;
    }
    release_reduction(&table.reduction);
    close_device(&device);
    flush_output();
    return worst;
}

/* This operator does not have this type. */
static int report_missing_operation(const struct options *options)
{
    const char *types = list_operation_names(options->op);
    if (!options->check) {
        fprintf(stderr, "%s: there is no %s of %s; its types are %s\n", program_name, options->op,
                options->type, types);
        return STATUS_UNSUPPORTED;
    }
    printf("1..0 # SKIP: there is no %s of %s; its types are %s\n", options->op, options->type,
           types);
    flush_output();
    return STATUS_RIGHT;
}

int step_main(int argc, char **argv, const struct step *step)
{
    const struct options options = parse_options(argc, argv);
    if (options.help || options.version || options.list || options.variants || options.facts) {
        print_information(&options, step);
        return STATUS_RIGHT;
    }
    struct request request = choose_request(step, &options);
    if (!request.operations[0])
        return report_missing_operation(&options);
    if (options.races)
        refuse_unused_options(&options, USES_ALL, "--races");
    if (options.check)
        refuse_unused_options(&options, USES_ALL | USED_FOR_DATA, "--check");
    if (options.check || options.races || options.kernel)
        return supervise(&request, run_request);
    return run_request(&request);
}
