#include "ranks.h"

#include "arguments.h"
#include "check_operations.h"
#include "launch.h"
#include "report.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows */
static void print_head(const struct ranks_table *table)
{
    const struct request *request = table->request;
    const int ranks = world.ranks, nodes = world.nodes, devices = world.devices;
    char columns[200];
    snprintf(columns, sizeof columns,
             "%d rank%s on %d node%s, %d device%s%s\n\n%-13s %11s %5s  %9s %9s %10s %6s %6s", ranks,
             ranks == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", devices, devices == 1 ? "" : "s",
             devices == 1 ? "" : "; rank 0 has the one above", "variant", "n", "ranks", "kernels",
             "wall", "collective", "GB/s", "%limit");
    print_table_head(request->step, request->device, table->problem.operation, request->options,
                     columns);
}

static void write_and_print(struct ranks_table *table, struct row *row)
{
    const struct request *request = table->request;
    const struct options *options = request->options;
    row->ranks = world.ranks;
    row->devices = world.devices;
    if (options->out)
        write_row(&table->file, &table->reduction, row);
    if (!table->has_head)
        print_head(table);
    table->has_head = true;
    print_row(&table->reduction, row, options);
    if (options->n.count == 1 && request->geometry_count == 1)
        print_details(&table->reduction, row, options);
}

static enum status time_row(struct ranks_table *table, uint64_t n)
{
    struct reduction *reduction = &table->reduction;
    struct data data = { n, .planted = n / 3, .kind = DATA_PLAIN, .seed = table->seed };
    struct row row;
    const enum status status = verify_n(table, n);
    if (status != STATUS_RIGHT)
        return status;
    make_share(reduction, data);
    if (!measure(reduction, &hooks_of_ranks, table->request->options, &row))
        return STATUS_WRONG;
    // Again, on other data, with what the repetitions left in memory.
    data.seed++;
    if (!agree_on_result(reduction, input_is_unchanged(reduction)) ||
        !verify_on(reduction, data, false))
        return STATUS_WRONG;
    if (world.rank == 0)
        write_and_print(table, &row);
    return STATUS_RIGHT;
}

/* Before a row is timed, smaller sizes are verified: fewer elements than ranks, and unequal shares.
 */
static enum status time_sizes(struct ranks_table *table)
{
    const struct numbers *sizes = &table->request->options->n;
    const uint64_t ranks = (uint64_t)world.ranks;
    uint64_t small[] = { 1, ranks - 1, ranks + 1, 257, 4097, 1000003 };
    const int count = sort_and_filter(small, sizeof small / sizeof *small, 1, UINT64_MAX);
    enum status status = STATUS_RIGHT;
    int next = 0;
    for (int i = 0; i < sizes->count && status == STATUS_RIGHT; i++) {
        for (; next < count && small[next] <= sizes->value[i] && status == STATUS_RIGHT; next++)
            status = verify_n(table, small[next]);
        if (status == STATUS_RIGHT)
            status = time_row(table, sizes->value[i]);
    }
    return status;
}

/* Rank 0 says what ends the table early. */
static enum status time_all(struct ranks_table *table)
{
    const struct request *request = table->request;
    enum status status = STATUS_RIGHT;
    table->problem.operation = request->operations[0];
    table->problem.variant = choose_variant(request, request->operations[0]);
    if (request->options->out && world.rank == 0)
        open_data_file(&table->file, request, &table->problem, true);
    for (int g = 0; g < request->geometry_count && status == STATUS_RIGHT; g++) {
        table->problem.geometry = request->geometries[g];
        status = time_sizes(table);
    }
    close_data_file(&table->file);
    if (status == STATUS_UNSUPPORTED && world.rank == 0)
        fprintf(stderr, "%s: %s is not supported here: %s\n", program_name,
                table->problem.variant->name, table->reduction.reason);
    if (status == STATUS_WRONG && world.rank == 0)
        print_wrong(&table->reduction, table->problem.n);
    return status;
}

/* ---- the call as a whole */

enum status ranks_main(int argc, char **argv, const struct step *step)
{
    static struct ranks_table table; // too large for the stack
    static struct device device;
    remember_environment();
    enter_world(&argc, &argv);
    require_own_launcher();
    const struct options options = read_options(argc, argv);
    if (options.is_question) {
        if (world.rank == 0)
            print_information(&options, step, "[options], after mpirun -n RANKS\n", lists_of_ranks);
        return STATUS_RIGHT;
    }
    struct request request = read_request(step, &options);
    if (!request.operations[0])
        return world.rank == 0 ? report_missing_operation(&options) : STATUS_UNSUPPORTED;
    report_lost_runtimes();
    device = open_own_device(options.device);
    request.device = &device;
    report_unused_gpu(&device, &options);
    require_room_on_ranks(&options, &device, request.operations[0]->element_bytes);

    table = (struct ranks_table) { &request, request.first, .seed = request.seed };
    MPI_Bcast(&table.seed, 1, MPI_UINT32_T, 0, MPI_COMM_WORLD); // --check draws another one
    begin_set_up();
    if (options.warm || options.evict) // otherwise open_device() has chosen
        device.evict_bytes = options.warm ? 0 : options.evict / 16 * 16; // whole vectors
    evict_cache(&device); // allocates its memory now, while an error still ends all ranks
    meet();
    const enum status status = checks ? check_operations(&table) : time_all(&table);
    release_reduction(&table.reduction);
    close_device(&device);
    return status;
}
