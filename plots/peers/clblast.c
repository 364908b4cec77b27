/* clblast: a linear algebra library on OpenCL, with our own device, queue and array
 *
 *   CLBlastSsum(n, result, 0, x, 0, 1, &queue, &event)        sum of floats; it has no sum of ints
 *   CLBlastiSmin(n, index, 0, x, 0, 1, &queue, &event)        index of the smallest element
 *
 * The smallest value needs a second read, at that index, as it does for a user of the library. So
 * the wall time includes that read. The library returns the event of its last kernel only, so there
 * is no span.
 */
#include "clblast_c.h"
#include "fail.h"
#include "outside.h"
#include <math.h>

static cl_mem place; // for the result, allocated once, as a user would do

static void prepare(cl_command_queue queue, cl_mem elements, uint64_t n, bool changed)
{
    cl_context context;
    cl_int status;
    (void)elements, (void)n, (void)changed;
    if (place)
        return;
    CL(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    place = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_uint), NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clCreateBuffer");
}

static double sum(cl_command_queue queue, cl_mem elements, uint64_t n, bool clocked, void *value)
{
    (void)clocked;
    CLBlastStatusCode status = CLBlastSsum(n, place, 0, elements, 0, 1, &queue, NULL);
    if (status != CLBlastSuccess)
        fail("CLBlastSsum: status %d", status);
    CL(clEnqueueReadBuffer(queue, place, CL_TRUE, 0, sizeof(float), value, 0, NULL, NULL));
    return NAN;
}

static double min(cl_command_queue queue, cl_mem elements, uint64_t n, bool clocked, void *value)
{
    (void)clocked;
    cl_uint index;
    CLBlastStatusCode status = CLBlastiSmin(n, place, 0, elements, 0, 1, &queue, NULL);
    if (status != CLBlastSuccess)
        fail("CLBlastiSmin: status %d", status);
    CL(clEnqueueReadBuffer(queue, place, CL_TRUE, 0, sizeof index, &index, 0, NULL, NULL));
    if (index >= n)
        return NAN; // the poison stays in *value
    CL(clEnqueueReadBuffer(queue, elements, CL_TRUE, index * sizeof(float), sizeof(float), value, 0,
                           NULL, NULL));
    return NAN;
}

const char peer_name[] = "clblast", peer_device[] = "";
const struct outside peer_calls[] = {
    { "sum", "float", NULL, sum, prepare },
    { "min", "float", NULL, min, prepare },
    { NULL, NULL, NULL, NULL, NULL },
};
