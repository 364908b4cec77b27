/* The host keeps no copy of the elements: element i follows from i and the seed, on both sides by
 * the same text, kernels/data.clh.
 */
#include "input.h"

#include "buffer.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* make() or find_changes(), which notes what it finds in `found`: a work-item for each element and
 * each one behind them, in groups of one size, because pocl compiles again for each new one. */
static void launch_over(const struct run *run, const char *name, cl_mem found)
{
    const struct data *data = &run->data;
    const struct kernel *kernel = kernel_get(run->device, "data.cl", name, run->operation->options);
    const cl_ulong guard = GUARD;
    kernel_set(kernel, ARRAY(run->elements.buffer), NUMBER(data->n), NUMBER(guard),
               NUMBER(data->seed), NUMBER(data->planted), NUMBER(data->kind), NUMBER(data->uniform),
               ARRAY(found));
    kernel_launch(run->device->queue, kernel, data->n + GUARD, 64, NULL);
    CL(clFinish(run->device->queue));
}

void input_make(struct run *run, struct data data)
{
    const struct operation *operation = run->operation;
    run->data = data;
    launch_over(run, "make", NULL);
    if (operation->has_extreme && data.planted < data.n)
        operation->extreme(&data, &run->expected);
    else
        operation->reference(&data, &run->expected);
    if (data.uniform) { // a sum of float rounds; in double, of the same elements, it does not
        any_value sum;
        operation_sum_double.reference(&data, &sum);
        run->exact = operation_sum_double.show(&sum).number;
        const float rounded = (float)run->exact;
        memcpy(&run->expected, &rounded, sizeof rounded);
    }
}

void input_must_fit(const struct device *device, const struct operation *operation, uint64_t n)
{
    const uint64_t fit = device->buffer_bytes / operation->element_bytes;
    if (n > fit || fit - n < GUARD)
        fail("n = %" PRIu64 ": the buffers of this device, of at most %.3f GiB, hold %" PRIu64
             " elements",
             n, device->buffer_bytes / 0x1p30, fit > GUARD ? fit - GUARD : 0);
}

bool input_untouched(struct run *run)
{
    uint64_t changed[2] = { 0 }; // how many, and where one is
    cl_mem found = buffer_create(run->device, sizeof changed, "a counter");
    buffer_write(run->device, found, 0, sizeof changed, changed);
    launch_over(run, "find_changes", found);
    buffer_read(run->device, found, 0, sizeof changed, changed);
    CL(clReleaseMemObject(found));
    return changed[0] == 0 || wrong(run,
                                    "writes to in[], which is for reading only: changed %" PRIu64
                                    " elements, among them element %" PRIu64,
                                    changed[0], changed[1]);
}
