#include "ranks.h"

#include "data_file.h"
#include "launch.h"
#include "parts.h"
#include "report.h"
#include "timing.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table { // what the rows share
    const struct request *request;
    struct device *device;
    struct problem problem;
    struct reduction reduction;
    struct limits limits;
    struct data_file file;
    uint32_t seed;
    bool has_plan, has_head; // so far
};

/* ---- options */

/* The order of the elements decides, unless --variant does. */
static const struct variant *choose_variant(const struct request *request,
                                            const struct operation *operation)
{
    const struct variant *variant = request->step->variants;
    if (request->options->variant)
        return request->variants[0];
    while (!operation->is_commutative && variant->order != ORDER_IS_KEPT)
        variant++;
    return variant;
}

/* Options of other steps that have no meaning here. */
static void refuse_options(const struct options *options)
{
    const struct {
        bool is_given;
        const char *name;
    } others[] = {
        { options->races, "--races" },   { options->facts, "--facts" },
        { options->kernel, "--kernel" }, { options->build_options, "--build-options" },
        { options->binary, "--binary" }, { options->limit_seconds != 30, "--limit-seconds" },
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].is_given)
            fail("%s is not for ranks: use it with ./step11, which has the same kernel",
                 others[i].name);
    if (options->variant && strcmp(options->variant, "all") == 0)
        fail("--variant all: the ranks run one variant at a time; --variants lists them");
}

/* A rank may have another REDUCE_DEVICE than the others, but no other options. */
static void compare_options(const struct options *options)
{
    char of_rank_0[sizeof options->command];
    memcpy(of_rank_0, options->command, sizeof of_rank_0);
    MPI_Bcast(of_rank_0, sizeof of_rank_0, MPI_CHAR, 0, MPI_COMM_WORLD);
    begin_set_up();
    if (strcmp(of_rank_0, options->command) != 0)
        fail("has the options '%s', but rank 0 has '%s': all ranks need the same options",
             options->command, of_rank_0);
    meet();
}

/* Fails if this rank's share of the device's memory is too small for its part of the array. */
static void require_room_for_parts(const struct options *options, const struct device *device,
                                   size_t element_bytes)
{
    const uint64_t share = device->memory_bytes / (uint64_t)world.sharing,
                   bytes = share < device->buffer_bytes ? share : device->buffer_bytes,
                   room = bytes / element_bytes,
                   own_most = room > GUARD_ELEMENTS ? room - GUARD_ELEMENTS : 0;
    uint64_t most; // all are far below 2^63
    MPI_Allreduce(&own_most, &most, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    begin_set_up();
    for (int i = 0; i < options->n.count; i++)
        if (ceil_div(options->n.value[i], (uint64_t)world.ranks) > most)
            fail("n = %" PRIu64 ": the devices of these ranks have room for %" PRIu64 " elements",
                 options->n.value[i], most * (uint64_t)world.ranks);
    meet();
}

/* ---- rows */

/* The inputs for n: min and max have their extreme in turn at the ends of the ranks' parts, too. */
static bool verify_n(struct table *table, uint64_t n)
{
    struct data inputs[INPUTS_MAX];
    struct problem whole = table->problem;
    whole.n = n;
    whole.geometry.group_size = ceil_div(n, (uint64_t)world.ranks);
    const int count = list_inputs(&whole, table->seed, inputs);
    for (int i = 0; i < count; i++)
        if (!verify_on(&table->reduction, inputs[i], true))
            return false;
    return true;
}

/* The first plan shows which options it uses. */
static bool plan_n(struct table *table, uint64_t n)
{
    const struct options *options = table->request->options;
    const bool is_ready = plan_part(&table->reduction, table->device, &table->problem, n);
    begin_set_up();
    if (is_ready && !table->has_plan && options->check)
        refuse_unused_options(options, USES_ALL | USED_FOR_DATA, "--check");
    if (is_ready && !table->has_plan && !options->check)
        refuse_unused_options(options,
                              table->reduction.options_used | USED_IN_TIMING | USED_FOR_DATA,
                              table->problem.variant->name);
    meet();
    table->has_plan = true;
    return is_ready;
}

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
        write_row(&table->file, request->step, options, &table->reduction, row,
                  table->limits.evict_bytes);
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
    for (int g = 0; g < request->geometry_count && status == STATUS_RIGHT; g++) {
        table->problem.geometry = request->geometries[g];
        status = time_sizes(table);
    }
    close_data_file(&table->file);
    return status;
}

/* ---- --check */

/* One line of TAP on rank 0. */
static bool check_operation(struct table *table, int number, const uint64_t *sizes, int count)
{
    const struct operation *operation = table->problem.operation;
    const char *reason = table->reduction.reason;
    bool is_right = true, is_supported = true;
    uint64_t n = 0;
    for (int i = 0; i < count && is_right && is_supported; i++) {
        n = sizes[i];
        is_supported = plan_n(table, n);
        is_right = !is_supported || verify_n(table, n);
    }
    if (world.rank != 0)
        return is_right;
    printf("%sok %d - %s, %s of %s, %d ranks", is_right ? "" : "not ", number,
           table->problem.variant->name, operation->op, operation->type, world.ranks);
    if (!is_supported)
        printf(" # SKIP %s", reason);
    printf(is_right ? "\n" : "\n# n = %" PRIu64 ": %s\n", n, reason);
    flush_output();
    return is_right;
}

static enum status check_all(struct table *table)
{
    const struct request *request = table->request;
    const uint64_t ranks = (uint64_t)world.ranks;
    uint64_t usual[] = { 1, ranks - 1, ranks, ranks + 1, 64, 1000, 4097, 300007 };
    const bool has_sizes = request->options->n.count > 0;
    const int usual_count = sort_and_filter(usual, sizeof usual / sizeof *usual, 1, UINT64_MAX);
    enum status status = STATUS_RIGHT;
    int count = 0;
    while (request->operations[count])
        count++;
    if (world.rank == 0)
        printf("1..%d\n# seed %u\n", count, (unsigned)table->seed);
    for (int i = 0; i < count; i++) {
        table->problem.operation = request->operations[i];
        table->problem.variant = choose_variant(request, request->operations[i]);
        if (!check_operation(table, i + 1, has_sizes ? request->options->n.value : usual,
                             has_sizes ? request->options->n.count : usual_count))
            status = STATUS_WRONG;
    }
    return status;
}

/* ---- main */

/* This operator does not have this type. */
static enum status report_missing_operation(const struct options *options)
{
    const char *types = list_operation_names(options->op);
    if (world.rank == 0)
        fprintf(stderr, "%s: there is no %s of %s; its types are %s\n", program_name, options->op,
                options->type, types);
    return STATUS_UNSUPPORTED;
}

static void print_information(const struct options *options, const struct step *step)
{
    if (options->help)
        print_help();
    else if (options->version)
        printf("%s (%s) 1.0\n", program_name, step->name);
    else if (options->list)
        print_devices(options->device);
    else
        print_variants(step->variants);
    flush_output();
}

int ranks_main(int argc, char **argv, const struct step *step)
{
    static struct table table; // too large for the stack
    static struct device device;
    remember_environment();
    enter_world(&argc, &argv);
    require_own_launcher();
    const struct options options = parse_options(argc, argv);
    meet();
    compare_options(&options);
    if (options.help || options.version || options.list || options.variants) {
        if (world.rank == 0)
            print_information(&options, step);
        return leave_world(STATUS_RIGHT);
    }
    begin_set_up();
    const struct request request = choose_request(step, &options);
    refuse_options(&options);
    if (options.out && world.rank == 0)
        create_data_folder(options.out);
    meet();
    if (!request.operations[0])
        return leave_world(report_missing_operation(&options));
    device = open_own_device(options.device);
    report_lost_devices(&device, &options);
    require_room_for_parts(&options, &device, request.operations[0]->element_bytes);

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
    return leave_world(status);
}
