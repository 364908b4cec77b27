#include "verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the data. The host keeps no copy of the elements: element i follows from i and the seed, on
 * the device and on the host, by the same text, kernels/data.clh. */

/* Launches a kernel of data.cl with a work-item for each element and each guard. Groups have one
 * fixed size, because pocl compiles again for each new size. */
static void launch_over_input(const struct reduction *reduction, const char *name, cl_mem found)
{
    const struct data *data = &reduction->input.data;
    const cl_ulong guard = reduction->device->guard_elements,
                   count = data->n - data->before - data->after;
    const struct kernel *data_kernel =
        get_kernel(reduction->device, "data.cl", name, reduction->problem.operation->options);
    const cl_mem elements = reduction->elements.buffer;
    const cl_kernel kernel = data_kernel->kernel;
    CL(clSetKernelArg(kernel, 0, sizeof elements, &elements));
    CL(clSetKernelArg(kernel, 1, sizeof count, &count));
    CL(clSetKernelArg(kernel, 2, sizeof guard, &guard));
    CL(clSetKernelArg(kernel, 3, sizeof data->n, &data->n));
    CL(clSetKernelArg(kernel, 4, sizeof data->before, &data->before));
    CL(clSetKernelArg(kernel, 5, sizeof data->seed, &data->seed));
    CL(clSetKernelArg(kernel, 6, sizeof data->planted, &data->planted));
    CL(clSetKernelArg(kernel, 7, sizeof data->kind, &data->kind));
    if (found)
        CL(clSetKernelArg(kernel, 8, sizeof found, &found));
    launch_kernel(reduction->device->queue, data_kernel, count + guard, 64, NULL);
    CL(clFinish(reduction->device->queue));
}

void make_data(struct reduction *reduction, struct data data)
{
    const struct operation *operation = reduction->problem.operation;
    reduction->input.data = data;
    launch_over_input(reduction, "make", NULL);
    if (operation->has_extreme && data.planted < data.n) // the planted extreme is the result
        operation->extreme(&data, &reduction->input.expected);
    else
        operation->reference(&data, &reduction->input.expected);
}

/* ---- before the run */

/* Fills more local memory than the kernel uses, because the runtime may place the kernel's share
 * elsewhere. On a CPU all groups use the same few megabytes, so a little more is enough. On other
 * devices it is half of what there is, because some keep a part to themselves. */
static void fill_local_memory(const struct reduction *reduction, const any_value *with)
{
    const struct stage *first = &reduction->stages[reduction->first_launch];
    struct device *device = reduction->device;
    const size_t bytes = reduction->problem.operation->value_bytes,
                 groups = 4 * device->compute_units, group_size = 64;
    if (first->action != STAGE_LAUNCH)
        return;
    const size_t scratch = first->kernel->argument_count == 4 ? first->scratch_bytes : 0;
    const cl_ulong used = first->kernel->local_bytes + scratch, half = device->local_bytes / 2;
    if (used == 0)
        return;
    cl_ulong filled = device->is_cpu && used + (16 << 10) < half ? used + (16 << 10) : half;
    filled = filled > used ? filled : used;
    const cl_uint count = (cl_uint)(filled / bytes);
    const struct kernel *kernel =
        get_kernel(device, "data.cl", "fill_local", reduction->problem.operation->options);
    // launch_kernel() adds work-items if the group size does not divide their number.
    cl_mem out = create_buffer(device, (groups + 1) * group_size * bytes, "poison");
    CL(clSetKernelArg(kernel->kernel, 0, (size_t)count * bytes, NULL));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof count, &count));
    CL(clSetKernelArg(kernel->kernel, 2, sizeof(cl_ulong), with));
    CL(clSetKernelArg(kernel->kernel, 3, sizeof out, &out));
    launch_kernel(device->queue, kernel, groups * group_size, group_size, NULL);
    CL(clReleaseMemObject(out));
}

void fill_memory(struct reduction *reduction, const any_value *arrays, const any_value *local)
{
    const struct device *device = reduction->device;
    const struct operation *operation = reduction->problem.operation;
    const any_value zero = { { 0 } };
    const size_t bytes = operation->value_bytes;
    // Depends on the seed and on the number of fills, so that --seed repeats it.
    static uint64_t fills;
    const uint64_t random = (reduction->input.data.seed + ++fills * UINT64_C(0x100000001b3)) *
                            UINT64_C(0x9e3779b97f4a7c15);
    any_value poison = *operation->poison;
    for (int k = 0; k < VALUE_BYTES / 4; k++)
        poison.words[k] ^= (uint32_t)(random >> 8 * (k + 3)) & operation->free_bits->words[k];
    reduction->verdict.poison = arrays ? *arrays : poison;
    local = local ? local : &poison;
    for (int i = 0; i < reduction->array_count; i++)
        CL(clEnqueueFillBuffer(
            device->queue, reduction->arrays[i].buffer, &reduction->verdict.poison, bytes, 0,
            (reduction->arrays[i].count + device->guard_values) * bytes, 0, NULL, NULL));
    if (reduction->has_counter)
        CL(clEnqueueFillBuffer(device->queue, reduction->result.buffer, &zero, bytes,
                               (reduction->result.count - COUNTER_VALUES) * bytes,
                               COUNTER_VALUES * bytes, 0, NULL, NULL));
    fill_local_memory(reduction, local);
    CL(clFinish(device->queue)); // the next launch may use another queue
}

/* ---- after the run */
static bool guards_are_unchanged(struct reduction *reduction)
{
    const size_t bytes = reduction->problem.operation->value_bytes,
                 count = reduction->device->guard_values;
    unsigned char guard[GUARD_VALUES * VALUE_BYTES];
    if (count == 0) // Oclgrind looks itself
        return true;
    for (int i = 0; i < reduction->array_count; i++) {
        const struct array *array = &reduction->arrays[i];
        CL(clEnqueueReadBuffer(reduction->device->queue, array->buffer, CL_TRUE,
                               array->count * bytes, count * bytes, guard, 0, NULL, NULL));
        for (size_t k = 0; k < count; k++)
            if (memcmp(guard + k * bytes, &reduction->verdict.poison, bytes) != 0)
                return note_mistake(reduction, MISTAKE_WRITES_BEYOND_OUTPUT,
                                    "writes beyond the end of out: to out[%" PRIu64 "] of %" PRIu64,
                                    array->count + k, array->count);
    }
    return true;
}

static bool counter_is_reset(struct reduction *reduction)
{
    uint64_t count = 0; // 64 bits, because a counter may share its word with a sum
    const size_t bytes = reduction->problem.operation->value_bytes,
                 offset = (reduction->result.count - COUNTER_VALUES) * bytes;
    CL(clEnqueueReadBuffer(reduction->device->queue, reduction->result.buffer, CL_TRUE, offset,
                           sizeof count, &count, 0, NULL, NULL));
    return count == 0 || note_mistake(reduction, MISTAKE_COUNTER_NOT_RESET,
                                      "leaves the counter of groups at %" PRIu64
                                      ", not at 0: the next launch begins with that",
                                      count);
}

bool input_is_unchanged(struct reduction *reduction)
{
    const cl_command_queue queue = reduction->device->queue;
    uint64_t changed[2] = { 0 }; // how many elements, and where one of them is
    cl_mem found = create_buffer(reduction->device, sizeof changed, "a counter");
    CL(clEnqueueWriteBuffer(queue, found, CL_TRUE, 0, sizeof changed, changed, 0, NULL, NULL));
    launch_over_input(reduction, "find_changes", found);
    CL(clEnqueueReadBuffer(queue, found, CL_TRUE, 0, sizeof changed, changed, 0, NULL, NULL));
    CL(clReleaseMemObject(found));
    return changed[0] == 0 ||
           note_mistake(reduction, MISTAKE_WRITES_INPUT,
                        "writes to in[], which is for reading only: changed %" PRIu64
                        " elements, among them element %" PRIu64,
                        changed[0], changed[1]);
}

bool value_is_right(struct reduction *reduction, const any_value *value)
{
    const struct operation *operation = reduction->problem.operation;
    const size_t bytes = operation->value_bytes;
    if (memcmp(value, &reduction->input.expected, bytes) == 0)
        return true;
    const struct shown got = operation->show(value),
                       expected = operation->show(&reduction->input.expected);
    if (operation->is_floating && !operation->has_index && got.number == 0 && expected.number == 0)
        return true; // 0 and -0 are equal

    uint64_t bits = 0, expected_bits = 0; // the text may show only a part of a value
    memcpy(&bits, value, bytes);
    memcpy(&expected_bits, &reduction->input.expected, bytes);
    if (strcmp(got.text, expected.text) == 0)
        note_mistake(reduction, MISTAKE_VALUE,
                     "expected 0x%" PRIx64 ", got 0x%" PRIx64 " (both are shown as %s)",
                     expected_bits, bits, got.text);
    else
        note_mistake(reduction, MISTAKE_VALUE, "expected %s, got %s", expected.text, got.text);
    if (memcmp(value, &reduction->verdict.poison, bytes) == 0)
        note_mistake(reduction, MISTAKE_VALUE,
                     " (0x%" PRIx64 ", the poison of memory that no work-item has written)", bits);
    // Two values of 64 bits may be rounded to one number. A NaN has no difference.
    if (isfinite(got.number - expected.number) && got.number != expected.number)
        note_mistake(reduction, MISTAKE_VALUE, ", difference %.*g", operation->is_floating ? 9 : 15,
                     got.number - expected.number);
    return false;
}

bool verify_run(struct reduction *reduction, bool with_poison)
{
    any_value *result = &reduction->verdict.result;
    reduction->verdict.mistake = MISTAKE_NONE;
    reduction->verdict.reason[0] = '\0';
    // Under Oclgrind poison would count as written, and hide reads of memory that was never
    // written.
    if (with_poison && !reduction->device->is_simulated)
        fill_memory(reduction, NULL, NULL);
    reduction->verdict.wall = run_once(reduction, reduction->device->queue, result).wall;
    return guards_are_unchanged(reduction) && value_is_right(reduction, result) &&
           (!reduction->has_counter || counter_is_reset(reduction));
}

bool verify_again(struct reduction *reduction)
{
    struct data other = reduction->input.data;
    if (!input_is_unchanged(reduction)) // a kernel may have kept its result past the elements
        return false;
    other.seed++;
    make_data(reduction, other);
    // The second of these runs finds its own result in memory, which may mislead it, too.
    const bool right = verify_run(reduction, false) && verify_run(reduction, false);
    if (right && input_is_unchanged(reduction))
        return true;
    if (!right && verify_run(reduction, true)) // which clears the reason
        note_mistake(
            reduction, MISTAKE_KEEPS_MEMORY,
            "right in the first run, but wrong in the next one: is there a race, or does it "
            "depend on what an earlier run left in out or in local memory");
    return false;
}

/* ---- a problem on all of its inputs */
static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int sort_and_filter(uint64_t *numbers, int count, uint64_t least, uint64_t most)
{
    int kept = 0;
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (int i = 0; i < count; i++)
        if (numbers[i] >= least && numbers[i] <= most &&
            (kept == 0 || numbers[kept - 1] != numbers[i]))
            numbers[kept++] = numbers[i];
    return kept;
}

/* A sum depends on every element. A minimum or maximum depends on one, so the harness plants this
 * element in turn at the places where kernels tend to lose it:
 *
 *   0 … group_size - 1, group_size … tail - 1, tail … n - 1, and two places that the seed chooses
 *
 * Further inputs: nothing but NaN, or nothing but the identity; NaN and the infinity that loses;
 * and all elements on the losing side of 0, so that no accumulator may begin with 0. From 48 to 63,
 * where all remainders of n may be tried, three places are enough. */
int list_inputs(const struct problem *problem, uint32_t seed, struct data inputs[INPUTS_MAX])
{
    enum { PLACES = 8 };
    const struct operation *operation = problem->operation;
    const uint64_t n = problem->n, nowhere = (uint64_t)DATA_UNPLANTED,
                   group = problem->geometry.group_size ? problem->geometry.group_size : 256,
                   tail = n / group * group, any = seed * UINT64_C(0x9e3779b97f4a7c15);
    const bool may_be_nan = operation->is_floating && !problem->variant->nan_is_undefined,
               has_losing_side = !operation->has_index && operation->type[0] != 'u', // unsigned
        tries_remainders = n >= 48 && n < 64;
    uint64_t places[PLACES] = {
        n - 1, any % n, (any >> 24) % n, 0, group - 1, group, tail - 1, tail
    };
    int count = 0;
    if (!operation->has_extreme) {
        inputs[0] = (struct data) { n, nowhere, DATA_PLAIN, seed };
        return 1;
    }
    const int planted = sort_and_filter(places, tries_remainders ? 3 : PLACES, 0, n - 1);
    for (; count < planted; count++)
        inputs[count] =
            (struct data) { n, places[count], may_be_nan ? DATA_SOME_NAN : DATA_PLAIN, seed };
    if (tries_remainders)
        return count;
    if (may_be_nan || !operation->is_floating)
        inputs[count++] = (struct data) { n, nowhere, DATA_NEUTRAL, seed };
    if (may_be_nan)
        inputs[count++] = (struct data) { n, nowhere, DATA_LOSERS, seed };
    if (has_losing_side && n < 1 << 21)
        inputs[count++] = (struct data) { n, places[planted - 1], DATA_ONE_SIDE, seed };
    return count;
}

/* Adds the groups and the input to the reason. */
static void note_where(struct reduction *reduction)
{
    static const char *const kinds[] = {
        [DATA_NEUTRAL] = "all elements are NaN, or the identity of integers",
        [DATA_ONE_SIDE] = "all elements are on the losing side of 0",
        [DATA_SOME_NAN] = "some elements are NaN",
        [DATA_LOSERS] = "elements are NaN or the infinity that loses",
        [DATA_ZEROS] = NULL, // list_inputs() lists no input of this kind or a later one
    };
    const struct data *data = &reduction->input.data;
    const struct stage *first = &reduction->stages[reduction->first_launch];
    const enum mistake mistake = reduction->verdict.mistake;
    const char *kind = kinds[data->kind < DATA_ZEROS ? data->kind : DATA_ZEROS];
    if (first->action == STAGE_LAUNCH)
        note_mistake(reduction, mistake, " (groups: %" PRIu64 " of %zu)", first->groups,
                     first->group_size);
    if (kind)
        note_mistake(reduction, mistake, " (%s)", kind);
    if (data->planted < data->n)
        note_mistake(reduction, mistake, " (the extreme is at %" PRIu64 ")", data->planted);
}

enum status verify_inputs(struct reduction *reduction, const struct data *inputs, int count)
{
    double shortest = INFINITY;
    for (int i = 0; i < count; i++) {
        // Twice on one input: on the plain data of a sum; or on the second input, if there is one,
        // because the first one's extreme is element 0, which a kernel may find in what an earlier
        // run left.
        const bool again = i == (count > 1 && reduction->problem.operation->has_extreme ? 1 : 0);
        make_data(reduction, inputs[i]);
        const bool right = verify_run(reduction, true) && (again || input_is_unchanged(reduction));
        if (!right || (again && !verify_again(reduction))) {
            if (right && reduction->verdict.mistake == MISTAKE_VALUE)
                note_mistake(reduction, reduction->verdict.mistake,
                             " (not in the first run, but in the next one, on other data)");
            note_where(reduction);
            return STATUS_WRONG;
        }
        shortest = fmin(shortest, reduction->verdict.wall);
    }
    reduction->verdict.wall = shortest;
    return STATUS_RIGHT;
}
