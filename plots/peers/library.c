/* The main program of a peer that calls a library: it connects the harness with the calls that a
 * C++, CUDA or C file defines. The Makefile links this file once with each such file.
 *
 * The harness provides data, cold cache, read limit, verification and data file, so the rows of a
 * peer can be compared with the rows of a step. The peer has the number 0, because it is not a step
 * of the ladder. If the table of the peer has no call for an operator and type, the exit status
 * is 77.
 */
#include "operations.h"
#include "outside.h"
#include "step.h"

#include <string.h>

/* The elements of the last call of prepare(). */
struct copied {
    const struct operation *operation;
    cl_mem buffer;
    struct data data;
};

static bool has_same_input(const struct copied *last, const struct reduction *reduction)
{
    const struct data *data = &reduction->input.data;
    return last->operation == reduction->problem.operation &&
           last->buffer == reduction->elements.buffer && last->data.n == data->n &&
           last->data.planted == data->planted && last->data.kind == data->kind &&
           last->data.seed == data->seed;
}

/* The clock starts after the harness has mapped or copied the elements, because a user of the
 * library already has the elements on the host or on the device. */
static void call_library(const struct reduction *reduction, const struct stage *stage,
                         cl_command_queue queue, double start, struct times *times,
                         any_value *result)
{
    static struct copied last;
    const struct operation *operation = reduction->problem.operation;
    const uint64_t n = stage->in.count;
    const cl_mem buffer = stage->in.buffer;
    const struct library_call *call = peer_calls;
    void *elements = NULL;
    cl_int status;

    while (find_operation(call->op, call->type) != operation) // plan() has found a call
        call++;
    if (call->on_host) {
        elements = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0,
                                      n * operation->element_bytes, 0, NULL, NULL, &status);
        if (status != CL_SUCCESS)
            fail_in_opencl(status, "clEnqueueMapBuffer");
    }
    if (call->prepare)
        call->prepare(queue, buffer, n, !has_same_input(&last, reduction));
    last = (struct copied) { operation, buffer, reduction->input.data };
    *result = reduction->verdict.poison; // the poison stays if the library writes no value

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
    struct host_loop names[32] = { { NULL, NULL, NULL } }; // no loops; the last entry ends the list
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
