/* The data on its way: made on the device, reduced, compared with what the host expects.
 *
 *   make -> poison -> reduce -> same value? canaries alive? input untouched?
 *
 * The elements never exist on the host: element i follows from i and the seed, on both sides by the
 * same text.
 */
#include "verify.h"

#include "buffer.h"
#include "operations.h"
#include "poison.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One work-item for each element and each one behind them, in groups of one size, because pocl
 * compiles again for each new one. */
static void launch_over(const struct device *device, const struct kernel *kernel, uint64_t n)
{
    size_t local = device->group_limit < 64 ? device->group_limit : 64;
    size_t global = ceil_div(n + GUARD, local) * local;
    kernel_launch(device, kernel, 1, &global, &local, NULL);
}

/* The arguments that make() and find_changes() share: which data. The next argument is number 7. */
static void set_data_arguments(const struct kernel *kernel, const struct input *input)
{
    const struct data *data = &input->data;
    const cl_ulong n = data->n, guard = GUARD, planted = data->planted, nans = data->nans;
    const cl_uint seed = data->seed, uniform = data->uniform;
    kernel_set(kernel, sizeof(cl_mem), &input->elements.buffer, sizeof n, &n, sizeof guard, &guard,
               sizeof seed, &seed, sizeof planted, &planted, sizeof nans, &nans, sizeof uniform,
               &uniform, (size_t)0);
}

/* A sum of uniform floats rounds; in double, of the same elements, it does not: see data.cl. */
static void expect(struct input *input, const struct operation *operation, const struct data *plain)
{
    operation->reference(plain, &input->plain);
    if (plain->uniform) {
        const struct operation *exact = operation_find(operation->op, "double");
        any_value sum;
        exact->reference(plain, &sum);
        input->sum = exact->show(&sum).number;
        const float rounded = (float)input->sum;
        memcpy(&input->plain, &rounded, sizeof rounded);
    }
}

void input_remake(struct input *input, const struct device *device, struct kernels *kernels,
                  const struct operation *operation, struct data data)
{
    const struct kernel *make = data_kernel(kernels, operation, "make");
    struct data plain = data, before = input->data;
    plain.planted = before.planted = (uint64_t)NOWHERE;
    bool known = input->has_plain && memcmp(&plain, &before, sizeof plain) == 0;

    input->data = data;
    set_data_arguments(make, input);
    launch_over(device, make, data.n);
    CL(clFinish(device->queue));
    if (!known)
        expect(input, operation, &plain);
    input->has_plain = true;
    input->expected = input->plain;
    if (operation->has_extreme && data.planted < data.n)
        operation->plant(&input->expected, data.planted);
}

void input_must_fit(const struct device *device, const struct operation *operation, uint64_t n)
{
    const uint64_t buffer = device->buffer_bytes, memory = device->memory_bytes;
    const uint64_t most = buffer < memory ? buffer : memory, fit = most / operation->element_bytes;
    if (n > fit || fit - n < GUARD)
        fail("n = %" PRIu64 ": the buffers of this device, of at most %.3f GiB, hold %" PRIu64
             " elements",
             n, most / 0x1p30, fit > GUARD ? fit - GUARD : 0);
}

struct input input_make(const struct device *device, struct kernels *kernels,
                        const struct operation *operation, struct data data)
{
    struct input input = { .elements = { .count = data.n } };
    input_must_fit(device, operation, data.n);
    input.elements.buffer =
        buffer_create(device, (data.n + GUARD) * operation->element_bytes, "the input");
    input_remake(&input, device, kernels, operation, data);
    return input;
}

void input_release(struct input *input) { CL(clReleaseMemObject(input->elements.buffer)); }

/* Sums of uniform floats are not exact:
 *
 *     each addition rounds by a factor between 1 - u and 1 + u, u = 2^-24
 *     an element meets at most k of them on its way into the result
 *     so the result is off by at most   k u / (1 - k u) * sum |x|
 *
 * (N. J. Higham, "The accuracy of floating point summation", 1993). k follows from the plan: the
 * additions of an accumulator, then a tree; atomics are accumulators too. The data is not negative,
 * so sum |x| is the sum. */
static double roundings(const struct plan *plan)
{
    double k = 0;
    for (int i = 0; i < plan->stage_count; i++) {
        const struct stage *stage = &plan->stages[i];
        // A group's local atomics are on one place, and a work-item has one at most.
        uint64_t local = stage->local_atomics < stage->group ? stage->local_atomics : stage->group;
        k += (double)stage->adds + stage->depth + (double)local + (double)stage->global_atomics;
    }
    return k;
}

struct accuracy accuracy_of(const struct run *run, const any_value *got, const struct input *input)
{
    const double most = 0.01; // above it the bound says next to nothing: there is none then
    const double ku = 0x1p-24 * roundings(run->plan);
    const double off = fabs(run->operation->show(got).number - input->sum);
    return (struct accuracy) { .error = input->sum > 0 ? off / input->sum : off, // all may be 0
                               .bound = ku > most ? NAN : ku / (1 - ku) };
}

bool same_value(const struct run *run, const any_value *got, const struct input *input,
                char why[400])
{
    const struct operation *operation = run->operation;
    const struct shown made = operation->show(got), right = operation->show(&input->expected);
    char within[64] = "";
    if (input->data.uniform) {
        struct accuracy is = accuracy_of(run, got, input);
        if (isfinite(is.error) && !(is.error > is.bound)) // a bound that is NAN refuses no number
            return true;
        snprintf(within, sizeof within, ", off by %.3g of it at most", is.bound);
    } else if (memcmp(got, &input->expected, operation->value_bytes) == 0) {
        return true;
    }
    snprintf(why, 400, "expected %s%s, got %s, difference %.9g", right.text, within, made.text,
             made.number - right.number);
    return false;
}

bool verified(const struct run *run, const struct input *input, double *wall, char why[400])
{
    any_value result;
    poison(run);
    run->plan->changed = true; // for all that is known here
    *wall = reduce_once(run, &result).wall;
    return same_value(run, &result, input, why) && canaries_alive(run, why) &&
           counter_is_back(run, why);
}

bool input_untouched(const struct run *run, const struct input *input, char why[400])
{
    struct {
        cl_uint count, pad;
        cl_ulong where;
    } changed = { 0, 0, 0 };
    const struct kernel *find = data_kernel(run->plan->kernels, run->operation, "find_changes");
    cl_mem count = buffer_create(run->device, sizeof changed, "a counter");

    buffer_write(run->device, count, 0, sizeof changed, &changed);
    set_data_arguments(find, input);
    CL(clSetKernelArg(find->kernel, 7, sizeof(cl_mem), &count));
    launch_over(run->device, find, input->data.n);
    buffer_read(run->device, count, 0, sizeof changed, &changed);
    CL(clReleaseMemObject(count));
    if (changed.count > 0)
        snprintf(why, 400, "changes its input: %u elements, among them element %" PRIu64,
                 changed.count, changed.where);
    return changed.count == 0;
}
