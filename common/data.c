/* The host keeps no copy of the elements. Element i follows from i and the seed, on the device and
 * on the host, by the same text: kernels/data.clh. */
#include "data.h"

#include <stdlib.h>

/* Groups have one fixed size, because pocl compiles again for each new size. */
void launch_over_input(const struct reduction *reduction, const char *name, cl_mem found)
{
    const struct data *data = &reduction->data;
    const cl_ulong guard = reduction->device->guard_elements,
                   count = data->n - data->before - data->after;
    const struct kernel *data_kernel =
        get_kernel(reduction->device, "data.cl", name, reduction->problem.operation->options,
                   BUILD_FAILURE_ENDS);
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
    reduction->data = data;
    launch_over_input(reduction, "make", NULL);
    if (operation->has_extreme && data.planted < data.n) // the planted extreme is the result
        operation->extreme(&data, &reduction->expected);
    else
        operation->reference(&data, &reduction->expected);
}

/* ---- the inputs to verify on */
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
 * Further inputs: all elements on the losing side of 0, so that no accumulator may begin with 0;
 * nothing but NaN, or nothing but the identity; NaN and the infinity that loses; and, where n is
 * small, special values such as 0, -1 and the ends of the range, which integer sums get, too. A sum
 * gets zeros in a row, nothing but zeros, and equal elements: all of them where n is small, else
 * one of them. From 48 to 63, where --check tries all remainders of n, three places are enough. */
int list_inputs(const struct problem *problem, uint32_t seed, struct data inputs[INPUTS_MAX])
{
    enum { PLACES = 8, SPECIALS = 8, KINDS_OF_SUMS = 3 };
    const struct operation *operation = problem->operation;
    const uint64_t n = problem->n, nowhere = (uint64_t)DATA_UNPLANTED,
                   group = problem->geometry.group_size ? problem->geometry.group_size : 256,
                   tail = n / group * group, any = seed * UINT64_C(0x9e3779b97f4a7c15);
    const bool extreme = operation->has_extreme,
               may_be_nan =
                   extreme && operation->is_floating && !problem->variant->nan_is_undefined,
               has_losing_side =
                   extreme && !operation->has_index && operation->type[0] != 'u', // not unsigned
        has_zeros = !extreme && !operation->explain_value && n >= 64 && n < 1 << 18;
    const bool is_small = n >= 64 && n < 1 << 13 && !operation->explain_value;
    // A library that promises nothing about NaN may begin with the largest finite number, too.
    const int of_floats = problem->variant->nan_is_undefined ? SPECIALS - 2 : SPECIALS,
              specials = !is_small                 ? 0
                         : !operation->is_floating ? 2
                         : extreme                 ? of_floats
                                                   : 0;
    uint64_t places[PLACES] = {
        n - 1, any % n, (any >> 24) % n, 0, group - 1, group, tail - 1, tail
    };
    int count = 0;
    if (!extreme)
        inputs[count++] = (struct data) { n, nowhere, DATA_PLAIN, seed };
    for (uint64_t k = 0; has_zeros && k < KINDS_OF_SUMS; k++)
        if (is_small || n % 3 == k)
            inputs[count++] = (struct data) { n, nowhere, DATA_ZEROS + k, seed };
    const bool tries_remainders = n >= 48 && n < 64;
    const int planted =
        extreme ? sort_and_filter(places, tries_remainders ? 3 : PLACES, 0, n - 1) : 0;
    for (; count < planted; count++)
        inputs[count] =
            (struct data) { n, places[count], may_be_nan ? DATA_SOME_NAN : DATA_PLAIN, seed };
    if (tries_remainders)
        return count;
    if (may_be_nan || (extreme && !operation->is_floating))
        inputs[count++] = (struct data) { n, nowhere, DATA_NEUTRAL, seed };
    if (may_be_nan)
        inputs[count++] = (struct data) { n, nowhere, DATA_LOSERS, seed };
    if (has_losing_side && n < 1 << 21)
        inputs[count++] = (struct data) { n, places[planted - 1], DATA_ONE_SIDE, seed };
    for (int k = 0; k < specials; k++) // with n in the seed, the first 0 has either sign
        inputs[count++] =
            (struct data) { n, nowhere, DATA_SPECIAL + (uint64_t)k, seed + (uint32_t)n };
    return count;
}
