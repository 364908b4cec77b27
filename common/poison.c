/* What stands where nobody has written yet: poison in the result, in partial results and in local
 * memory, and canaries behind each array. A value that nobody wrote then shows, and so does one
 * written where nothing belongs.
 */
#include "check/races.h"
#include "verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTER = 2 }; // its size, in values

/* A counter of groups is 0 before the first launch, and each launch leaves it so. Under Oclgrind
 * the places before it are written as well: it takes an atomic exchange with what nobody has
 * written for a mistake, and a fill for no write.
 */
static void reset_counter(const struct run *run)
{
    const struct array *span = &run->plan->counted;
    const size_t bytes = run->operation->value_bytes;
    const uint64_t first = races_watched() ? 0 : span->count - COUNTER;
    if (!span->buffer)
        return;
    void *zeros = allocate((span->count - first) * bytes);
    memset(zeros, 0, (span->count - first) * bytes);
    CL(clEnqueueWriteBuffer(run->device->queue, span->buffer, CL_TRUE, first * bytes,
                            (span->count - first) * bytes, zeros, 0, NULL, NULL));
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

void fill_local(const struct run *run, const any_value *with)
{
    const struct plan *plan = run->plan;
    size_t bytes = run->operation->value_bytes;
    if (plan->local_bytes == 0)
        return;
    const struct kernel *kernel = data_kernel(plan->kernels, run->operation, "fill_local");
    // More than the stage uses, as its share may lie elsewhere; not all, as some devices keep a
    // part to themselves. On a CPU each group has the same place, and says to have megabytes: a
    // little more is enough.
    cl_ulong more = run->device->local_bytes / 2, little = plan->local_bytes + (16 << 10);
    if (run->device->cpu && little < more)
        more = little;
    const cl_uint count = (cl_uint)((plan->local_bytes > more ? plan->local_bytes : more) / bytes);
    size_t local = kernel->group_limit < 64 ? kernel->group_limit : 64;
    size_t global = local * 4 * run->device->compute_units;
    cl_mem sink = buffer_create(run->device, global * bytes, "poison");
    kernel_set(kernel, (size_t)count * bytes, (void *)NULL, sizeof count, &count, sizeof(cl_ulong),
               with, sizeof(cl_mem), &sink, (size_t)0);
    kernel_launch(run->device, kernel, 1, &global, &local, NULL);
    CL(clReleaseMemObject(sink));
}

/* The value that would win, in the result, in all partial results, behind them, and in local
 * memory. */
void poison(const struct run *run)
{
    any_value poison;
    run->operation->set_poison(&poison);
    if (races_watched()) { // Oclgrind sees by itself what nobody has written, unless somebody has;
                           // local memory is new
        reset_counter(run);
    } else {
        fill_arrays(run, &poison);
        fill_local(run, &poison);
    }
    CL(clFinish(run->device->queue));
}

/* The launch found its counter at 0; the next one wants it so too. */
bool counter_is_back(const struct run *run, char why[400])
{
    const struct array *span = &run->plan->counted;
    cl_ulong count = 0; // a word of 64 bits, where it shares one with a sum
    if (span->buffer)
        buffer_read(run->device, span->buffer,
                    (span->count - COUNTER) * run->operation->value_bytes, sizeof count, &count);
    if (count > 0)
        snprintf(why, 400,
                 "leaves the counter of groups at %" PRIu64
                 ", not at 0: the next launch begins with that",
                 (uint64_t)count);
    return count == 0;
}

/* Writing past the end of an array shows here: the poison behind it must still be poison. */
bool canaries_alive(const struct run *run, char why[400])
{
    size_t bytes = run->operation->value_bytes;
    any_value poison;
    unsigned char canaries[CANARIES * VALUE_BYTES];
    run->operation->set_poison(&poison);
    for (int i = 0; i < run->plan->owned_count && !races_watched(); i++) {
        const struct array *span = &run->plan->owned[i];
        buffer_read(run->device, span->buffer, span->count * bytes, CANARIES * bytes, canaries);
        for (int k = 0; k < CANARIES; k++) {
            if (memcmp(canaries + k * bytes, &poison, bytes) != 0) {
                snprintf(why, 400, "writes beyond the end of out: to out[%" PRIu64 "] of %" PRIu64,
                         span->count + k, span->count);
                return false;
            }
        }
    }
    return true;
}
