/* Poison in the result, in partial results and in local memory, and canaries behind each array: a
 * value that nobody wrote then shows, and so does one written where nothing belongs.
 */
#include "poison.h"

#include "buffer.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTER = 2 }; // its size, in values

const struct kernel *data_kernel(struct kernels *kernels, const struct operation *operation,
                                 const char *name)
{
    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL1.2 %s", operation->options);
    return kernel_get(kernels, "data.cl", name, options);
}

/* A counter of groups is 0 before the first launch, and each launch leaves it so. For Oclgrind the
 * places before it are written as well: it takes an atomic exchange with what nobody has written
 * for a mistake, and a fill for no write. */
static void reset_counter(const struct run *run)
{
    const struct array *counted = &run->plan->counted;
    const size_t bytes = run->operation->value_bytes;
    const uint64_t first = run->device->simulated ? 0 : counted->count - COUNTER;
    if (!counted->buffer)
        return;
    const size_t length = (counted->count - first) * bytes;
    void *zeros = allocate(length);
    buffer_write(run->device, counted->buffer, first * bytes, length, zeros);
    free(zeros);
}

void fill_arrays(const struct run *run, const any_value *with)
{
    const struct plan *plan = run->plan;
    size_t bytes = run->operation->value_bytes;
    for (int i = 0; i < plan->owned_count; i++)
        buffer_fill(run->device, plan->owned[i].buffer, with, bytes, 0,
                    (plan->owned[i].count + CANARIES) * bytes);
    reset_counter(run);
}

/* More than the plan uses, as its share may lie elsewhere; not all, as some devices keep a part to
 * themselves. On a CPU all groups share one place, of megabytes: a little more is enough. */
static cl_ulong local_bytes_to_fill(const struct run *run)
{
    const cl_ulong used = run->plan->local_bytes, little = used + (16 << 10);
    cl_ulong more = run->device->local_bytes / 2;
    if (run->device->cpu && little < more)
        more = little;
    return used > more ? used : more;
}

void fill_local(const struct run *run, const any_value *with)
{
    const size_t bytes = run->operation->value_bytes;
    if (run->plan->local_bytes == 0)
        return;
    const struct kernel *kernel = data_kernel(run->plan->kernels, run->operation, "fill_local");
    const cl_uint count = (cl_uint)(local_bytes_to_fill(run) / bytes);
    size_t local = kernel->group_limit < 64 ? kernel->group_limit : 64;
    size_t global = local * 4 * run->device->compute_units;
    cl_mem sink = buffer_create(run->device, global * bytes, "poison");
    kernel_set(kernel, (size_t)count * bytes, (void *)NULL, sizeof count, &count, sizeof(cl_ulong),
               with, sizeof(cl_mem), &sink, (size_t)0);
    kernel_launch(run->device, kernel, 1, &global, &local, NULL);
    CL(clReleaseMemObject(sink));
}

void poison(const struct run *run)
{
    if (run->device->simulated) { // Oclgrind knows itself what nobody has written, and we would
        reset_counter(run);
    } else {
        fill_arrays(run, run->operation->poison);
        fill_local(run, run->operation->poison);
    }
    CL(clFinish(run->device->queue));
}

bool counter_is_back(const struct run *run, char why[400])
{
    const struct array *counted = &run->plan->counted;
    cl_ulong count = 0; // a word of 64 bits, where it shares one with a sum
    if (counted->buffer)
        buffer_read(run->device, counted->buffer,
                    (counted->count - COUNTER) * run->operation->value_bytes, sizeof count, &count);
    if (count > 0)
        snprintf(why, 400,
                 "leaves the counter of groups at %" PRIu64
                 ", not at 0: the next launch begins with that",
                 (uint64_t)count);
    return count == 0;
}

bool canaries_alive(const struct run *run, char why[400])
{
    const size_t bytes = run->operation->value_bytes;
    unsigned char canaries[CANARIES * VALUE_BYTES];
    for (int i = 0; i < run->plan->owned_count && !run->device->simulated; i++) {
        const struct array *array = &run->plan->owned[i];
        buffer_read(run->device, array->buffer, array->count * bytes, CANARIES * bytes, canaries);
        for (int k = 0; k < CANARIES; k++) {
            if (memcmp(canaries + k * bytes, run->operation->poison, bytes) != 0) {
                snprintf(why, 400, "writes beyond the end of out: to out[%" PRIu64 "] of %" PRIu64,
                         array->count + k, array->count);
                return false;
            }
        }
    }
    return true;
}
