/* What is reduced by something else than launches: planned, and carried out under the same clock.
 */
#include "clock.h"
#include "step.h"

#include <stdio.h>
#include <string.h>

/* "sum of int, float; min of float": types of one operator stand together. */
static void offered(const struct outside *table, char *text, size_t size)
{
    *text = '\0';
    for (const struct outside *row = table; row->op; row++) {
        bool same = row > table && strcmp(row->op, row[-1].op) == 0;
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s%s%s",
                 row == table ? ""
                 : same       ? ", "
                              : "; ",
                 same ? "" : row->op, same ? "" : " of ", row->type);
    }
}

static void add(struct run *run, const struct outside *table, int kind)
{
    const struct operation *operation = run->operation;
    char text[200];
    for (const struct outside *row = table; row->op; row++)
        if (strcmp(row->op, operation->op) == 0 && strcmp(row->type, operation->type) == 0)
            add_stage(run, (struct stage) { .in = run->elements,
                                            .kind = kind,
                                            .outside = row,
                                            .adds = run->elements.count });
    offered(table, text, sizeof text);
    if (run->plan->stage_count == 0)
        unsupported(run, "no %s of %s; it has %s", operation->op, operation->type, text);
}

void on_host(struct run *run, const struct outside *loops) { add(run, loops, LOOP_ON_HOST); }

void by_library(struct run *run, const struct outside *calls) { add(run, calls, LIBRARY_CALL); }

void outside_run(const struct run *run, const struct stage *stage, struct times *times,
                 any_value *result)
{
    const struct outside *outside = stage->outside;
    const uint64_t n = stage->in.count;
    cl_command_queue queue = run->device->queue;
    cl_mem buffer = stage->in.buffer;
    void *elements = NULL;

    // The elements are the host's own here, or the library's: to map or to copy them is not what is
    // measured.
    if (outside->on_host)
        elements = buffer_map(run->device, buffer, n * run->operation->element_bytes);
    if (outside->prepare)
        outside->prepare(queue, buffer, n, run->plan->changed);
    run->plan->changed = false;
    run->operation->set_poison(result); // stays, if nothing is written there

    double start = now();
    if (outside->on_host)
        outside->on_host(elements, n, result);
    else
        times->kernel = times->span =
            outside->on_device(queue, buffer, n, queue == run->device->profiled, result);
    times->wall = now() - start;
    buffer_unmap(run->device, buffer, elements);
    CL(clFinish(queue));
}
