/* A peer whose reduction is a library's: the harness around the calls that a C++, CUDA or C file of
 * the peer's own name defines. Linked once with each of them.
 *
 * Data, cold cache, read limit in turn, verification and the data file are the harness's own, so
 * that a peer's rows compare with those of a step. Number 0: no step. What it offers is in its
 * table; all else ends with exit status 77.
 */
#include "buffer.h"
#include "outside.h"
#include "step.h"
#include <string.h>

/* The elements are the host's own here, or the library's: to map or to copy them is not what is
 * measured. */
static void carry_out(const struct run *run, const struct stage *stage, double start,
                      struct times *times, any_value *result)
{
    static struct { // what the library has been given: it may know that
        cl_mem buffer;
        struct data data;
        const struct operation *operation;
    } known;
    const bool again = known.buffer == stage->in.buffer && known.operation == run->operation &&
                       memcmp(&known.data, &run->data, sizeof known.data) == 0;
    const struct outside *call = peer_calls;
    const uint64_t n = stage->in.count;
    const cl_command_queue queue = run->device->queue;
    const cl_mem buffer = stage->in.buffer;
    void *elements = NULL;

    while (operation_find(call->op, call->type) != run->operation)
        call++; // it has one: see plan
    if (call->on_host)
        elements = buffer_map(run->device, buffer, n * run->operation->element_bytes);
    if (call->prepare)
        call->prepare(queue, buffer, n, !again);
    known.buffer = buffer;
    known.data = run->data;
    known.operation = run->operation;
    *result = *run->operation->poison; // stays, if nothing is written there

    start = now();
    if (call->on_host)
        call->on_host(elements, n, result);
    else
        times->kernel = times->span =
            call->on_device(queue, buffer, n, queue == run->device->profiled, result);
    times->wall = now() - start;
    if (elements)
        buffer_unmap(run->device, buffer, elements);
    CL(clFinish(queue));
}

static bool plan(struct run *run)
{
    struct host_loop known[32] = { { NULL, NULL, NULL } }; // by name only; the last one ends it
    if (!strstr(run->device->name, peer_device))
        return unsupported(run, "it needs a device of %s", peer_device);
    for (int i = 0; i < 31 && peer_calls[i].op; i++)
        known[i] = (struct host_loop) { peer_calls[i].op, peer_calls[i].type, NULL };
    if (!on_host(run, known))
        return false;
    struct stage *stage = &run->stages[run->stage_count - 1];
    stage->on_host = carry_out;
    stage->what = "library";
    return true;
}

// A NaN among its elements is more than most libraries say anything about.
static const struct variant variants[] = {
    { peer_name, NULL, plan, .drops_no_nan = true },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 0, peer_name, 0, variants };
    return step_main(argc, argv, &step);
}
