#include "step.h"

#include "data_file.h"
#include "measure.h"
#include "report.h"
#include "verify.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct table { // what the rows of one call share
    const struct request *request;
    struct data_file file;      // of one variant
    struct reduction reduction; // planned last
    bool has_head, is_single_row;
    double seconds_per_element; // of this geometry so far, at best
    const char *judge_command;  // for the present row, if its result is wrong or never comes
    enum status outcome;        // of all variants so far
};

/* Verifies the problem with a few elements, at most n. They also show how long a row will take. */
static enum status verify_small(struct table *table, struct problem problem, uint64_t n)
{
    static const uint64_t sizes[] = { 1, 2, 255, 256, 257, 4096, 4097, 1000003, UINT64_MAX };
    const struct request *request = table->request;
    struct data inputs[INPUTS_MAX];
    table->seconds_per_element = INFINITY;
    for (int i = 0; sizes[i] <= n; i++) {
        problem.n = sizes[i];
        // The judge tries the sizes up to 4096 itself.
        table->judge_command =
            compose_judge_command(request, &problem, problem.n > 4096 ? problem.n : 0);
        set_time_limit(request->options->timeout, table->judge_command);
        if (!plan_reduction(&table->reduction, request->device, &problem))
            return report_plan(&table->reduction);
        const int count = list_inputs(&problem, request->seed, inputs);
        if (verify_inputs(&table->reduction, inputs, count) == STATUS_WRONG)
            return STATUS_WRONG;
        table->seconds_per_element =
            fmin(table->seconds_per_element, table->reduction.verdict.wall / (double)problem.n);
    }
    return STATUS_RIGHT;
}

/* Skips a row that would take too long, and says so on the screen and in the data file. */
static void skip_row(struct table *table, uint64_t n, double seconds)
{
    char comment[120];
    snprintf(comment, sizeof comment,
             "n = %" PRIu64 " left out: about %.3g s, over the %g of --limit-seconds", n, seconds,
             table->request->options->limit_seconds);
    printf("%-13s %s\n", table->reduction.problem.variant->name, comment);
    flush_output(); // the next row may end the program by a signal
    write_comment(&table->file, comment);
}

/* Measures the problem, prints its row, and writes it where --out says. */
static enum status time_row(struct table *table, const struct problem *problem)
{
    const struct request *request = table->request;
    const struct options *options = request->options;
    const uint64_t n = problem->n;
    const double runs = (double)options->repetitions + 3; // two that verify, and a warm-up
    struct reduction *reduction = &table->reduction;
    struct data inputs[INPUTS_MAX];
    struct row row;
    table->judge_command = compose_judge_command(request, problem, n);
    set_time_limit(options->timeout, table->judge_command);
    if (!plan_reduction(reduction, request->device, problem))
        return report_plan(&table->reduction);
    const double seconds = table->seconds_per_element * (double)n * runs;
    if (isfinite(seconds) && seconds > options->limit_seconds) {
        skip_row(table, n, seconds);
        return STATUS_RIGHT;
    }
    // measure() verifies on plain data, which is enough for a sum: it shows every element. A
    // minimum or maximum shows the extreme only, so it is verified with the extreme at several
    // places.
    const int count = list_inputs(problem, request->seed, inputs);
    if (problem->operation->has_extreme && verify_inputs(reduction, inputs, count) == STATUS_WRONG)
        return STATUS_WRONG;
    // The extreme of min and max is planted somewhere inside; a sum has none.
    make_data(reduction,
              (struct data) { n, .planted = n / 3, .kind = DATA_PLAIN, .seed = request->seed });
    if (!measure(reduction, NULL, options, &row))
        return STATUS_WRONG;
    table->seconds_per_element = fmin(table->seconds_per_element, row.wall.median / (double)n);

    if (options->out)
        write_row(&table->file, reduction, &row);
    if (!table->has_head)
        print_table_head(request->step, request->device, problem->operation, options,
                         table_columns);
    table->has_head = true;
    print_row(reduction, &row, options);
    if (table->is_single_row)
        print_details(reduction, &row, options);
    return STATUS_RIGHT;
}

/* The rows of one variant: for each geometry one for each n. */
static void time_variant(struct table *table, const struct variant *variant)
{
    const struct request *request = table->request;
    const struct options *options = request->options;
    struct problem problem = request->first;
    enum status status = STATUS_RIGHT;
    uint64_t most = 0;
    for (int i = 0; i < options->n.count; i++)
        most = options->n.value[i] > most ? options->n.value[i] : most;
    problem.variant = variant;
    if (options->out)
        open_data_file(&table->file, request, &problem, false);
    // STATUS_SETUP: an option has no effect on this variant, so further geometries say the same.
    for (int g = 0; g < request->geometry_count && status != STATUS_WRONG && status != STATUS_SETUP;
         g++) {
        problem.geometry = request->geometries[g];
        status = verify_small(table, problem, most);
        if (options->out && status == STATUS_RIGHT)
            create_data_folder(options->out);
        for (int i = 0; i < options->n.count && status == STATUS_RIGHT; i++) {
            problem.n = options->n.value[i];
            status = time_row(table, &problem);
        }
        // Wrong counts most, then right, then an option without effect, then not supported.
        if (table->outcome != STATUS_WRONG && (status == STATUS_WRONG || status < table->outcome))
            table->outcome = status;
    }
    if (status == STATUS_WRONG) {
        print_wrong(&table->reduction, table->reduction.problem.n);
        printf("  %s says why\n", table->judge_command);
        flush_output(); // the next variant may end the program by a signal
    }
    if (options->out)
        close_data_file(&table->file);
}

static const char usage[] =
    "[options]\n"
    "Checks a few sizes, times one (2^24 elements, sum of int), prints a table.\n";

int step_main(int argc, char **argv, const struct step *step)
{
    static char compile[100];  // the command that replaces two options, except in exercises
    static bool checks, races; // the judge does this now
    static const struct known_option moved[] = {
        { "check", "", "", VALUE_NONE, &checks },
        { "races", "", "", VALUE_NONE, &races },
        { "", "", "", VALUE_MOVED, "to measure the kernel of a file, write --kernel FILE" },
        { NULL },
    };
    static const struct known_option of_compiler[] = {
        { "binary", "", "", VALUE_MOVED, compile },
        { "build-options", "", "", VALUE_MOVED, compile },
        { NULL },
    };
    const bool is_step = strncmp(program_name, "step", 4) == 0;
    const struct known_option *const lists[] = { common_options, measuring_options, moved,
                                                 is_step ? of_compiler : NULL, NULL };
    static struct table table; // 16 KB
    static struct device device;
    snprintf(compile, sizeof compile,
             "another program does this now: make build/compile%02d && build/compile%02d --help",
             step->number, step->number);
    const struct options options = parse_options(argc, argv, lists);
    if (options.is_question) {
        print_information(&options, step, usage, lists);
        return STATUS_RIGHT;
    }
    struct request request = choose_request(step, &options, false);
    if (!request.operations[0])
        return report_missing_operation(&options);
    if (options.kernel)
        replace_kernels(&request, options.kernel);
    if (checks || races) {
        const struct options file_only = { .kernel = options.kernel, .seed = options.seed };
        request.options = &file_only;
        request.first.geometry = (struct geometry) { .groups = 0 };
        fail("--%s: the judge does this now, and takes the step's options: %s%s",
             checks ? "check" : "races", compose_judge_command(&request, &request.first, 0),
             checks ? "" : " --races");
    }
    device = open_device(options.device);
    for (int i = 0; i < options.group.count; i++)
        require_group_size(&device, options.group.value[i]);
    for (int i = 0; i < options.n.count; i++)
        require_room(&device, options.n.value[i], request.operations[0]->element_bytes);
    request.device = &device;
    if (options.warm || options.evict) // otherwise open_device() has chosen
        device.evict_bytes = options.warm ? 0 : options.evict / 16 * 16; // whole vectors
    table.request = &request;
    table.is_single_row =
        !request.variants[1] && options.n.count == 1 && request.geometry_count == 1;
    table.outcome = STATUS_UNSUPPORTED; // unless a variant is supported
    for (int v = 0; request.variants[v]; v++)
        time_variant(&table, request.variants[v]);
    release_reduction(&table.reduction);
    close_device(&device);
    flush_output();
    return table.outcome;
}
