/* A peer whose reduction is a library's: the harness around the calls that a C++, CUDA or C file
 * defines. The Makefile links this file once with each such file.
 *
 * Data, cold cache, read limit, verification and data file are the harness's own, so the rows of a
 * peer can be compared with the rows of a step. The peer has the number 0, because it is no step of
 * the ladder. An operator or type without a call in its table ends with exit status 77.
 */
#include "operations.h"
#include "outside.h"
#include "step.h"

#include <string.h>

/* The elements for which the library was prepared last. */
struct prepared {
    const struct operation *operation;
    cl_mem buffer;
    struct data data;
};

static bool is_prepared(const struct prepared *last, const struct reduction *reduction)
{
    const struct data *data = &reduction->data;
    return last->operation == reduction->problem.operation &&
           last->buffer == reduction->elements.buffer && last->data.n == data->n &&
           last->data.planted == data->planted && last->data.kind == data->kind &&
           last->data.seed == data->seed;
}

/* The clock starts after the elements were mapped or copied, because a user of the library already
 * has them on the host or on the device. */
static void call_library(const struct reduction *reduction, const struct stage *stage,
                         cl_command_queue queue, double start, struct times *times,
                         any_value *result)
{
    static struct prepared last;
    const struct operation *operation = reduction->problem.operation;
    const uint64_t n = stage->in.count;
    const cl_mem buffer = stage->in.buffer;
    const struct outside *call = peer_calls;
    void *elements = NULL;
    cl_int status;

    while (find_operation(call->op, call->type) != operation) // plan() has found one
        call++;
    if (call->on_host) {
        elements = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0,
                                      n * operation->element_bytes, 0, NULL, NULL, &status);
        if (status != CL_SUCCESS)
            fail_in_opencl(status, "clEnqueueMapBuffer");
    }
    if (call->prepare)
        call->prepare(queue, buffer, n, !is_prepared(&last, reduction));
    last = (struct prepared) { operation, buffer, reduction->data };
    *result = *operation->poison; // it stays if the library writes no value

    start = now();
    if (call->on_host)
        call->on_host(elements, n, result);
    else
        times->kernel = times->span =
            call->on_device(queue, buffer, n, queue == reduction->device->profiled_queue, result);
    times->wall = now() - start;
    if (elements)
        CL(clEnqueueUnmapMemObject(queue, buffer, elements, 0, NULL, NULL));
    CL(clFinish(queue)); // the next command may use another queue
}

static void plan(struct reduction *reduction)
{
    struct host_loop names[32] = { { NULL, NULL, NULL } }; // without loops; the last one ends it
    if (!strstr(reduction->device->name, peer_device)) {
        unsupported(reduction, "it needs a device of %s", peer_device);
        return;
    }
    for (int i = 0; i < 31 && peer_calls[i].op; i++)
        names[i] = (struct host_loop) { peer_calls[i].op, peer_calls[i].type, NULL };
    struct stage *stage = add_host_loop(reduction, names);
    if (!stage)
        return;
    stage->on_host = call_library;
    stage->name = "library";
}

// Most libraries do not say what they return if an element is NaN.
static const struct variant variants[] = {
    { peer_name, NULL, plan, .nan_is_undefined = true },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 0, peer_name, 0, variants };
    return step_main(argc, argv, &step);
}
