/* The data on its way: made on the device, reduced, compared with what the host expects.
 *
 *   make -> poison -> reduce -> same value? canaries alive? input untouched?
 *
 * The elements never exist on the host: element i follows from i and the seed, on both sides by the
 * same text.
 */
#include "verify.h"

#include "check/races.h"
#include "watch.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAKE_GROUP = 64 };

/* One work-item per element. The group size is fixed, because pocl compiles again for each new one.
 */
static void launch_over(const struct device *device, const struct kernel *kernel, uint64_t items)
{
    size_t local = MAKE_GROUP < device->group_limit ? MAKE_GROUP : device->group_limit;
    size_t global = ceil_div(items, local) * local;
    kernel_launch(device, kernel, 1, &global, &local, NULL);
}

/* One of the kernels of data.cl, for this operator and type. */
const struct kernel *data_kernel(struct kernels *kernels, const struct operation *operation,
                                 const char *name)
{
    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL1.2 %s", operation->options);
    return kernel_get(kernels, "data.cl", name, options);
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

void input_remake(struct input *input, const struct device *device, struct kernels *kernels,
                  const struct operation *operation, struct data data)
{
    const struct kernel *make = data_kernel(kernels, operation, "make");

    struct data plain = data, before = input->data;
    plain.planted = before.planted = (uint64_t)NOWHERE;
    bool known = input->has_plain && memcmp(&plain, &before, sizeof plain) == 0;

    input->data = data;
    set_data_arguments(make, input);
    launch_over(device, make, data.n + GUARD);
    CL(clFinish(device->queue));
    if (!known)
        input->sum = operation->reference(&plain, &input->plain);
    input->has_plain = true;
    input->expected = input->plain;
    if (data.planted < data.n)
        operation->plant(&input->expected, data.planted);
}

void input_must_fit(const struct device *device, const struct operation *operation, uint64_t n)
{
    uint64_t most =
        device->buffer_bytes < device->memory_bytes ? device->buffer_bytes : device->memory_bytes;
    uint64_t fit = most / operation->element_bytes;
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

/* The launches, each with its event; then the value, on the host. */
static void enqueue(const struct run *run, const struct stage *stage, cl_event *event)
{
    const struct device *device = run->device;
    size_t bytes = run->operation->value_bytes;
    if (stage->kind == FILL) {
        any_value identity;
        run->operation->set_identity(&identity);
        CL(clEnqueueFillBuffer(device->queue, stage->out.buffer, &identity, bytes, 0,
                               stage->out.count * bytes, 0, NULL, event));
        return;
    }
    const cl_ulong n = stage->in.count;
    bool flat = stage->dimensions == 1;
    const size_t local[2] = { stage->lanes, stage->group / stage->lanes };
    const size_t global[2] = { local[0] * (flat ? stage->groups : 1),
                               local[1] * (flat ? 1 : stage->groups) };
    // Arguments are set anew for each launch: stages share their kernel.
    if (stage->kernel->arguments == 4)
        CL(clSetKernelArg(stage->kernel->kernel, 3, stage->scratch_bytes, NULL));
    kernel_set(stage->kernel, sizeof(cl_mem), &stage->in.buffer, sizeof n, &n, sizeof(cl_mem),
               &stage->out.buffer, (size_t)0);
    kernel_launch(device, stage->kernel, stage->dimensions, global, local, event);
}

/* What a plan leaves to the host: read back, then combined in order. */
static void fold_on_host(const struct run *run, struct array values, any_value *result)
{
    buffer_read(run->device, values.buffer, 0, values.count * run->operation->value_bytes,
                run->plan->copy);
    run->operation->set_identity(result);
    run->operation->fold(run->plan->copy, values.count, result);
}

struct times reduce_once(const struct run *run, any_value *result)
{
    const struct plan *plan = run->plan;
    struct times times = { 0, NAN, NAN };
    struct interval span = { NAN, NAN };
    cl_event events[STAGES];
    int launched = 0;
    bool on_host = false, clocked = run->device->queue == run->device->profiled;
    void *mapped = NULL;

    watch_begin();
    double start = now();
    for (int i = 0; i < plan->stage_count; i++) {
        const struct stage *stage = &plan->stages[i];
        if (stage->kind == LAUNCH || stage->kind == FILL)
            enqueue(run, stage, clocked ? &events[launched++] : NULL);
        else if (stage->kind == FINISH_ON_HOST)
            fold_on_host(run, stage->in, result), on_host = true;
        else
            outside_run(run, stage, &times, result), on_host = true;
    }
    if (!on_host)
        mapped = buffer_fetch(run->device, run->result.buffer, run->operation->value_bytes, result);
    if (isnan(times.wall))
        times.wall = now() - start;
    watch_end();
    buffer_unmap(run->device, run->result.buffer, mapped);

    // Outside the wall time: asking an event costs time of its own.
    for (int i = 0; i < launched; i++) {
        struct interval event = event_interval(events[i]);
        CL(clReleaseEvent(events[i]));
        times.kernel += event.end - event.start;
        span.start = i == 0 ? event.start : span.start;
        span.end = event.end;
    }
    if (launched > 0)
        times.span = span.end - span.start;
    if (!(times.kernel <= times.wall && times.span <= times.wall)) // a clock that cannot be right
        times.kernel = times.span = NAN;
    return times;
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

    buffer_fill(run->device, count, &changed, 4, 0, sizeof changed);
    set_data_arguments(find, input);
    CL(clSetKernelArg(find->kernel, 7, sizeof(cl_mem), &count));
    launch_over(run->device, find, input->data.n + GUARD);
    buffer_read(run->device, count, 0, sizeof changed, &changed);
    CL(clReleaseMemObject(count));
    if (changed.count > 0)
        snprintf(why, 400, "changes its input: %u elements, among them element %" PRIu64,
                 changed.count, changed.where);
    return changed.count == 0;
}
