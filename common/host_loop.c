/* A loop on the host is planned as one stage, and carried out under the same clock as a launch. */
#include "host_loop.h"

#include "buffer.h"
#include "operations.h"
#include "run.h"
#include <stdio.h>
#include <string.h>

/* To map the elements is not what is measured: they are the host's own here. */
static void carry_out(const struct run *run, const struct stage *stage, struct times *times,
                      any_value *result)
{
    const struct host_loop *loop = stage->about;
    const uint64_t n = stage->in.count;
    void *elements = buffer_map(run->device, stage->in.buffer, n * run->operation->element_bytes);
    *result = *run->operation->poison; // stays, if nothing is written there

    double start = now();
    loop->reduce(elements, n, result);
    times->wall = now() - start;
    buffer_unmap(run->device, stage->in.buffer, elements);
    CL(clFinish(run->device->queue));
}

bool on_host(struct run *run, const struct host_loop *loops)
{
    char has[200] = ""; // "sum of int, float; min of float": types of one operator stand together
    const char *op = "";
    for (const struct host_loop *loop = loops; loop->op; loop++) {
        if (operation_find(loop->op, loop->type) == run->operation) {
            add_stage(run, (struct stage) { .in = run->elements,
                                            .kind = CARRIED_OUT,
                                            .carry_out = carry_out,
                                            .about = loop,
                                            .what = "host loop",
                                            .adds = run->elements.count });
            return true;
        }
        const size_t length = strlen(has);
        if (strcmp(loop->op, op) == 0)
            snprintf(has + length, sizeof has - length, ", %s", loop->type);
        else
            snprintf(has + length, sizeof has - length, "%s%s of %s", length ? "; " : "", loop->op,
                     loop->type);
        op = loop->op;
    }
    return unsupported(run, "no %s of %s; it has %s", run->operation->op, run->operation->type,
                       has);
}
