/* Measures the rounding error of a step's sum of floats, and computes a bound from the step's plan.
 *
 *   elements           uniform in [0, 1), multiples of 2^-24
 *   exact sum          the sum of the same elements in double; up to 2^29 elements it is exact
 *   error              |sum - exact sum| / exact sum
 *   bound              k u / (1 - k u), with u = 2^-24
 *
 * Each addition of floats rounds its result by a factor between 1 - u and 1 + u. If an element
 * takes part in at most k additions, the sum is off by at most the bound, relative to the sum of
 * |x| (N. J. Higham, "The accuracy of floating point summation", 1993). No element is negative, so
 * the sum of |x| is the sum. k follows from the plan: see count_roundings().
 *
 * The Makefile links this file with the object of each step, as build/accuracy06, in front of the
 * harness. Therefore main() of the step calls this step_main().
 */
#include "step.h"

#include "data_file.h"
#include "report.h"
#include "verify.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 3 }; // of each sum, because atomics add in a different order each time

static const uint64_t max_elements = UINT64_C(1) << 29; // up to here a sum in double is exact

struct accuracy { // relative to the exact sum
    double error; // the largest of all runs
    double bound; // NAN: there is no bound, because it would be above 0.01
    float sum;    // of the last run
};

/* ---- the elements */

/* Element i for this seed: the bits of i in a random order, by the finishing mix of MurmurHash3
 * (A. Appleby). Its 24 upper bits become a number in [0, 1). */
static float make_element(uint64_t i, uint32_t seed)
{
    uint32_t x = (uint32_t)i ^ seed * 0x85ebca6bu;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return (float)((x ^ x >> 16) >> 8) * 0x1p-24f;
}

/* Writes the elements into the device's memory. The guard after the elements does not change.
 * Returns the exact sum. */
static double write_elements(const struct reduction *reduction, uint32_t seed)
{
    const cl_command_queue queue = reduction->device->queue;
    const cl_mem buffer = reduction->elements.buffer;
    const uint64_t n = reduction->elements.count;
    double sum = 0;
    cl_int status;
    float *x = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                  n * sizeof *x, 0, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clEnqueueMapBuffer");
    for (uint64_t i = 0; i < n; i++)
        sum += x[i] = make_element(i, seed);
    CL(clEnqueueUnmapMemObject(queue, buffer, x, 0, NULL, NULL));
    CL(clFinish(queue));
    return sum;
}

/* ---- the bound */

/* Returns the largest number of additions that an element takes part in: in each stage, the serial
 * additions of one accumulator, and then those of the tree over the accumulators. A place in memory
 * that atomics add to is an accumulator, too. */
static double count_roundings(struct reduction *reduction)
{
    double roundings = 0;
    for (int i = 0; i < reduction->stage_count; i++) {
        struct stage *stage = &reduction->stages[i];
        if (stage->action == STAGE_LAUNCH && reduction->problem.variant->predict)
            reduction->problem.variant->predict(reduction, stage);
        // All local atomics of a group add to one place, and each work-item executes at most one.
        const uint64_t local_additions =
            stage->local_atomics < stage->group_size ? stage->local_atomics : stage->group_size;
        roundings += (double)stage->chain_length + stage->tree_depth + (double)local_additions +
                     (double)stage->global_atomics;
    }
    return roundings;
}

static double compute_bound(double roundings)
{
    const double largest_bound = 0.01, ku = 0x1p-24 * roundings;
    return ku > largest_bound ? NAN : ku / (1 - ku);
}

/* ---- one sum */

/* Sums uniform floats several times, with poison in memory. The caller has planned the reduction
 * and has verified it on data that does not round. Returns false if an error is above the bound;
 * then reduction->verdict has the two values. */
static bool find_accuracy(struct reduction *reduction, uint32_t seed, struct accuracy *accuracy)
{
    const double exact = write_elements(reduction, seed);
    any_value value;
    *accuracy = (struct accuracy) { .bound = compute_bound(count_roundings(reduction)) };
    for (int run = 0; run < RUNS; run++) {
        fill_memory(reduction, NULL, NULL);
        run_once(reduction, reduction->device->queue, &value);
        memcpy(&accuracy->sum, &value, sizeof accuracy->sum);
        const double difference = fabs(accuracy->sum - exact),
                     error = exact > 0 ? difference / exact : difference; // all may be 0
        if (!isfinite(error) || error > accuracy->bound) { // if bound is NAN, no error is too large
            reduction->verdict.reason[0] = '\0';
            return note_mistake(reduction, MISTAKE_VALUE,
                                "expected %.9g, off by at most %.3g of it, got %.9g", exact,
                                accuracy->bound, accuracy->sum);
        }
        accuracy->error = fmax(accuracy->error, error);
    }
    return true;
}

/* Verifies a few smaller sizes and problem.n on data that does not round, and then finds the
 * accuracy. The first part detects a kernel that loses an element even if the bound would allow the
 * loss. */
static enum status verify_and_find(struct reduction *reduction, struct device *device,
                                   struct problem problem, uint32_t seed, struct accuracy *accuracy)
{
    const uint64_t sizes[] = { 1, 257, 4097, problem.n };
    struct data inputs[INPUTS_MAX];
    enum status status = STATUS_RIGHT;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && status == STATUS_RIGHT; i++) {
        if (sizes[i] > sizes[3])
            continue;
        problem.n = sizes[i];
        if (!plan_reduction(reduction, device, &problem))
            return report_plan(reduction);
        const int count = list_inputs(&problem, seed, inputs);
        status = verify_inputs(reduction, inputs, count);
    }
    if (status == STATUS_RIGHT && !find_accuracy(reduction, seed, accuracy))
        status = STATUS_WRONG;
    return status;
}

/* ---- rows on the screen and in the data file */
static void print_head(const struct request *request)
{
    printf("%02d %s: sum of float, uniform in [0, 1), seed %u\non %d  %s\n\n",
           request->step->number, request->step->name, (unsigned)request->options->seed,
           request->device->number, request->device->name);
    printf("%-13s %11s %9s %7s  %11s %11s\n", "variant", "n", "groups", "x size", "error/sum",
           "bound/sum");
}

static void print_accuracy(const struct reduction *reduction, const struct accuracy *accuracy)
{
    const struct stage *first = &reduction->stages[reduction->first_launch];
    printf("%-13s %11" PRIu64 " %9" PRIu64 " %7zu  %11.2g ", reduction->problem.variant->name,
           reduction->elements.count, first->groups, first->group_size, accuracy->error);
    if (isnan(accuracy->bound))
        printf("%11s\n", "none");
    else
        printf("%11.2g\n", accuracy->bound);
    flush_output();
}

static void write_accuracy(FILE *to, const struct request *request,
                           const struct reduction *reduction, const struct accuracy *accuracy)
{
    const struct stage *first = &reduction->stages[reduction->first_launch];
    if (ftell(to) == 0) {
        fprintf(to, "# step: %02d %s\n# variant: %s\n# operator: sum\n# type: float\n",
                request->step->number, request->step->name, reduction->problem.variant->name);
        write_device(to, request->device);
        fprintf(to, "# options: %s\n# seed: %u\n", request->options->command,
                (unsigned)request->options->seed);
        fprintf(to, "# error and bound: relative to the sum; nan: no bound, because it is above "
                    "0.01\n");
        fprintf(to, "n groups group error bound verdict\n");
    }
    fprintf(to, "%" PRIu64 " %" PRIu64 " %zu %g %g %s\n", reduction->elements.count, first->groups,
            first->group_size, accuracy->error, accuracy->bound,
            isnan(accuracy->bound) ? "no-bound" : "right");
}

/* ---- the command line */

/* Reports one row for each n, up to the first n whose status is not STATUS_RIGHT. Returns this
 * status, otherwise STATUS_RIGHT. */
static enum status report_variant(const struct request *request, const struct variant *variant)
{
    static struct reduction reduction;
    const struct options *options = request->options;
    const bool is_single = !request->variants[1] && options->n.count == 1;
    struct problem problem = request->first;
    struct accuracy accuracy = { 0 };
    enum status status = STATUS_RIGHT;
    char *text, path[4096];
    size_t length;
    FILE *file = open_memstream(&text, &length);
    problem.variant = variant;
    set_time_limit(request->options->timeout, compose_judge_command(request, &problem, 0));
    if (!file)
        fail("the host has no memory left for the data file");

    for (int i = 0; i < options->n.count && status == STATUS_RIGHT; i++) {
        problem.n = options->n.value[i];
        status = verify_and_find(&reduction, request->device, problem, request->seed, &accuracy);
        if (status != STATUS_RIGHT)
            break;
        if (i == 0 && variant == request->variants[0])
            print_head(request);
        print_accuracy(&reduction, &accuracy);
        write_accuracy(file, request, &reduction, &accuracy);
    }
    if (status == STATUS_WRONG)
        print_wrong(&reduction, reduction.elements.count);
    if (status == STATUS_RIGHT && is_single)
        printf(
            "\nresult %.17g: off by %.3g of the sum; the same kernel is right for data that does "
            "not round\n",
            accuracy.sum, accuracy.error);
    fprintf(file, "# end\n");
    fclose(file);
    if (options->out && strncmp(text, "# step", 6) == 0) { // the text has a row
        snprintf(path, sizeof path, "%s/%02d_%s.sum.float.dat", options->out, request->step->number,
                 variant->name);
        create_data_folder(options->out);
        replace_file(path, text, strlen(text));
    }
    free(text);
    release_reduction(&reduction);
    return status;
}

int step_main(int argc, char **argv, const struct step *step)
{
    static const struct known_option *const lists[] = { common_options, measuring_options, NULL };
    struct options options = parse_options(argc, argv, lists);
    enum status worst = STATUS_RIGHT;
    if (options.is_question)
        fail("--help, --version, --list, --variants, --facts: this program does not have these "
             "options; use step%02d",
             step->number);
    if (!options.may_end_early || options.evict || options.warm)
        fail("--reps, --evict, --warm: this program measures no time, so it does not have these "
             "options");
    if ((options.op && strcmp(options.op, "sum") != 0) ||
        (options.type && strcmp(options.type, "float") != 0))
        fail("--op, --type: this program supports only the sum of float");
    options.op = "sum";
    options.type = "float";
    for (int i = 0; i < options.n.count; i++)
        if (options.n.value[i] > max_elements)
            fail("n = %" PRIu64
                 ": must be at most 2^29, because the sum of more elements in double may round",
                 options.n.value[i]);
    struct request request = choose_request(step, &options, false);
    if (request.geometry_count > 1)
        fail("--group, --width: this program supports only one value of each option");
    if (options.kernel)
        replace_kernels(&request, options.kernel);
    struct device device = open_device(options.device);
    request.device = &device;
    for (int v = 0; request.variants[v]; v++) {
        const enum status status = report_variant(&request, request.variants[v]);
        if (status == STATUS_WRONG || (status != STATUS_RIGHT && !request.variants[1]))
            worst = status;
    }
    close_device(&device);
    flush_output();
    return worst;
}
