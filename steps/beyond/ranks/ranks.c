#include "ranks.h"

#include "arguments.h"
#include "checks.h"
#include "launch.h"
#include "report.h"
#include "timing.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows */

/* Prints on rank 0 only. */
static enum status report_unsupported(const struct table *table)
{
    if (world.rank == 0)
        fprintf(stderr, "%s: %s is not supported here: %s\n", program_name,
                table->problem.variant->name, table->reduction.reason);
    return STATUS_UNSUPPORTED;
}

static enum status report_wrong(const struct table *table, uint64_t n)
{
    if (world.rank == 0)
        printf("WRONG: %s at n = %" PRIu64 ": %s\n", table->problem.variant->name, n,
               table->reduction.reason);
    return STATUS_WRONG;
}

static void write_and_print(struct table *table, const struct row *row)
{
    const struct request *request = table->request;
    const struct options *options = request->options;
    if (options->out)
        write_row(&table->file, &table->reduction, row);
    if (!table->has_head)
        print_ranks_head(request->step, &table->reduction, options, table->limits.evict_bytes);
    table->has_head = true;
    print_ranks(&table->reduction, row);
    if (options->n.count == 1 && request->geometry_count == 1)
        print_ranks_details(&table->reduction, row);
}

static enum status time_row(struct table *table, uint64_t n)
{
    struct reduction *reduction = &table->reduction;
    struct data data = { n, .planted = n / 3, .kind = DATA_PLAIN, .seed = table->seed };
    struct row row;
    if (!plan_n(table, n))
        return report_unsupported(table);
    if ((table->problem.operation->has_extreme && !verify_n(table, n)) ||
        !verify_on(reduction, data, true) ||
        !time_ranks(reduction, &table->limits, table->request->options, &row))
        return report_wrong(table, n);
    data.seed++;
    if (!verify_on(reduction, data, false)) // with what the repetitions left in memory
        return report_wrong(table, n);
    if (world.rank == 0)
        write_and_print(table, &row);
    return STATUS_RIGHT;
}

/* Before a row is timed, smaller sizes are verified: fewer elements than ranks, and unequal parts.
 */
static enum status time_sizes(struct table *table)
{
    const struct options *options = table->request->options;
    const uint64_t ranks = (uint64_t)world.ranks;
    uint64_t small[] = { 1, ranks - 1, ranks + 1, 257, 4097, 1000003 };
    const int count = sort_and_filter(small, sizeof small / sizeof *small, 1, UINT64_MAX);
    int next = 0;
    for (int i = 0; i < options->n.count; i++) {
        const uint64_t n = options->n.value[i];
        for (; next < count && small[next] <= n; next++) {
            if (!plan_n(table, small[next]))
                return report_unsupported(table);
            if (!verify_n(table, small[next]))
                return report_wrong(table, small[next]);
        }
        const enum status status = time_row(table, n);
        if (status != STATUS_RIGHT)
            return status;
    }
    return STATUS_RIGHT;
}

static enum status time_all(struct table *table)
{
    const struct request *request = table->request;
    enum status status = STATUS_RIGHT;
    table->problem.operation = request->operations[0];
    table->problem.variant = choose_variant(request, request->operations[0]);
    if (request->options->out && world.rank == 0)
        open_data_file(&table->file, request, &table->problem, &table->limits, true);
    for (int g = 0; g < request->geometry_count && status == STATUS_RIGHT; g++) {
        table->problem.geometry = request->geometries[g];
        status = time_sizes(table);
    }
    close_data_file(&table->file);
    return status;
}

/* ---- the call as a whole */

/* This operator does not have this type. */
static enum status report_missing_operation(const struct options *options)
{
    const char *types = list_operation_names(options->op);
    if (world.rank == 0)
        fprintf(stderr, "%s: there is no %s of %s; its types are %s\n", program_name, options->op,
                options->type, types);
    return STATUS_UNSUPPORTED;
}

enum status ranks_main(int argc, char **argv, const struct step *step)
{
    static struct table table; // too large for the stack
    static struct device device;
    remember_environment();
    enter_world(&argc, &argv);
    require_own_launcher();
    const struct options options = read_options(argc, argv);
    if (options.help || options.version || options.list || options.variants) {
        if (world.rank == 0)
            print_information(&options, step);
        return STATUS_RIGHT;
    }
    const struct request request = read_request(step, &options);
    if (!request.operations[0])
        return report_missing_operation(&options);
    report_lost_runtimes();
    device = open_own_device(options.device);
    report_unused_gpu(&device, &options);
    require_limits(&options, &device, request.operations[0]->element_bytes);

    table = (struct table) { &request, &device, .seed = (uint32_t)options.seed.value[0],
                             .problem = { .sub_groups = options.sub_groups,
                                          .geometry = request.geometries[0],
                                          .force = options.force } };
    MPI_Bcast(&table.seed, 1, MPI_UINT32_T, 0, MPI_COMM_WORLD); // --check draws another one
    begin_set_up();
    table.limits = open_limits(&device, &options);
    meet();
    watch_runs(options.timeout, WATCH_ITSELF);
    const enum status status = options.check ? check_all(&table) : time_all(&table);
    release_reduction(&table.reduction);
    close_limits(&table.limits);
    close_device(&device);
    return status;
}
