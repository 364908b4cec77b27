/* clblast: a linear algebra library on OpenCL, with the harness's device, queue and array
 *
 *   CLBlastSsum(n, result, 0, x, 0, 1, &queue, &event)        sum of floats (there is none of ints)
 *   CLBlastiSmin(n, index, 0, x, 0, 1, &queue, &event)        index of the smallest element
 *
 * A user of the library must read the smallest value at this index, so the wall time includes the
 * second read. The library returns the event of its last kernel only, so the harness cannot measure
 * the span.
 */
#include "clblast_c.h"
#include "fail.h"
#include "outside.h"
#include <math.h>

static cl_mem result_buffer; // allocated once, as a user of the library would do

static void prepare(cl_command_queue queue, cl_mem elements, uint64_t n, bool is_new_input)
{
    cl_context context;
    cl_int status;
    (void)elements, (void)n, (void)is_new_input;
    if (result_buffer)
        return;
    CL(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    result_buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_uint), NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clCreateBuffer");
}

static double sum(cl_command_queue queue, cl_mem elements, uint64_t n, bool is_timed, void *value)
{
    (void)is_timed;
    CLBlastStatusCode status = CLBlastSsum(n, result_buffer, 0, elements, 0, 1, &queue, NULL);
    if (status != CLBlastSuccess)
        fail("CLBlastSsum: status %d", status);
    CL(clEnqueueReadBuffer(queue, result_buffer, CL_TRUE, 0, sizeof(float), value, 0, NULL, NULL));
    return NAN;
}

static double min(cl_command_queue queue, cl_mem elements, uint64_t n, bool is_timed, void *value)
{
    (void)is_timed;
    cl_uint index;
    CLBlastStatusCode status = CLBlastiSmin(n, result_buffer, 0, elements, 0, 1, &queue, NULL);
    if (status != CLBlastSuccess)
        fail("CLBlastiSmin: status %d", status);
    CL(clEnqueueReadBuffer(queue, result_buffer, CL_TRUE, 0, sizeof index, &index, 0, NULL, NULL));
    if (index >= n)
        return NAN; // the poison stays in *value
    CL(clEnqueueReadBuffer(queue, elements, CL_TRUE, index * sizeof(float), sizeof(float), value, 0,
                           NULL, NULL));
    return NAN;
}

const char peer_name[] = "clblast", peer_device[] = "";
const struct library_call peer_calls[] = {
    { "sum", "float", NULL, sum, prepare },
    { "min", "float", NULL, min, prepare },
    { NULL, NULL, NULL, NULL, NULL },
};
