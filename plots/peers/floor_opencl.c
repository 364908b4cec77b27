/* floor_opencl: no reduction, but what none by a single work-group can be faster than
 *
 *   work-item    0 1 2 … 255 0 1 2 … 255 …     reads 16 bytes at a time, four loads under way; no tree, no tail
 *   out          the sum, worked out beforehand | a word of each work-item: so that it must read
 *
 * Then the sum goes to the host, as one of ours would. It says something for n up to 2^12: of more, many groups read
 * faster than one. floor_cuda.cu is the same in CUDA: side by side they show what is the launch's and the clock's.
 */
#include "clock.h"
#include "fail.h"
#include "outside.h"

#include <math.h>
#include <stddef.h>

static const size_t group = 256;
static const char *text = "kernel void read(global const uint4 *in, uint vectors, global uint *out)\n"
                          "{\n"
                          "    uint id = get_local_id(0), group = get_local_size(0), i = id;\n"
                          "    uint4 w = 0, x = 0, y = 0, z = 0;\n"
                          "    for (; i + 3 * group < vectors; i += 4 * group) {\n"
                          "        w ^= in[i], x ^= in[i + group];\n"
                          "        y ^= in[i + 2 * group], z ^= in[i + 3 * group];\n"
                          "    }\n"
                          "    for (; i < vectors; i += group)\n"
                          "        w ^= in[i];\n"
                          "    w ^= x ^ y ^ z;\n"
                          "    out[1 + id] = w.x ^ w.y ^ w.z ^ w.w;\n"
                          "}\n";
static cl_kernel kernel;
static cl_mem out;

static void make(cl_command_queue queue)
{
    cl_context context;
    cl_device_id device;
    cl_int status;
    CL(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    CL(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check_cl(status, "clCreateProgramWithSource");
    CL(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL));
    kernel = clCreateKernel(program, "read", &status);
    check_cl(status, "clCreateKernel");
    out = clCreateBuffer(context, CL_MEM_READ_WRITE, (1 + group) * sizeof(cl_uint), NULL, &status);
    check_cl(status, "clCreateBuffer");
}

static void prepare(cl_command_queue queue, cl_mem elements, uint64_t n, bool changed)
{
    const cl_uint vectors = (cl_uint)(n / 4);
    cl_uint sum = 0;
    cl_int status;
    if (!changed)
        return;
    if (!kernel)
        make(queue);
    cl_uint *x = clEnqueueMapBuffer(queue, elements, CL_TRUE, CL_MAP_READ, 0, 4 * n, 0, NULL, NULL, &status);
    check_cl(status, "clEnqueueMapBuffer");
    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    CL(clEnqueueUnmapMemObject(queue, elements, x, 0, NULL, NULL));
    CL(clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL));
    CL(clSetKernelArg(kernel, 0, sizeof elements, &elements));
    CL(clSetKernelArg(kernel, 1, sizeof vectors, &vectors));
    CL(clSetKernelArg(kernel, 2, sizeof out, &out));
}

static double read(cl_command_queue queue, cl_mem elements, uint64_t n, bool clocked, void *value)
{
    (void)elements, (void)n;
    cl_event event;
    CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &group, &group, 0, NULL, clocked ? &event : NULL));
    CL(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(cl_uint), value, 0, NULL, NULL));
    if (!clocked)
        return NAN;
    struct interval interval = event_interval(event);
    CL(clReleaseEvent(event));
    return interval.end - interval.start;
}

const char peer_name[] = "floor_opencl", peer_device[] = "";
const struct outside peer_calls[] = {
    { "sum", "int", NULL, read, prepare },
    { NULL, NULL, NULL, NULL, NULL },
};
