/* 00 device
 * Idea     One whole reduction in plain OpenCL host calls, and nothing is hidden. Read it from top
 *          to bottom: reduce() calls the functions in this order, and ten calls are numbered.
 * Change   (against nothing) This file uses nothing of common/. From step 01 on, a step only
 *          plans its launches, and the harness in common/ makes these calls.
 * Expect   First .ci/doctor.c lists the devices and says for each whether the steps can use it.
 *          Then one device adds up an array, and its sum equals the host's.
 * Try      ./step00 0, then ./step00 1: another device runs the same kernel text.
 *          Make the kernel skip the last element (i < n - 1). Does the program notice?
 */
#include "../.ci/doctor.h"
#include <CL/opencl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000003, WORK_ITEMS = 4096 }; // N is a prime number, so it is no multiple of 4096
static cl_uint elements[N], partials[WORK_ITEMS]; // the host's arrays

/* The kernel is the function that every work-item runs. Work-item number i adds up the elements i,
 * i + 4096, i + 8192 and so on, because the global size (the number of work-items) is 4096. Then it
 * writes its partial result. */
static const char *kernel_text =
    "kernel void reduce(global const uint *in, ulong n, global uint *out)\n"
    "{\n"
    "    uint sum = 0;\n"
    "    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))\n"
    "        sum += in[i];\n"
    "    out[get_global_id(0)] = sum;\n"
    "}\n";

static cl_context context;
static cl_command_queue queue;
static cl_mem in, out;
static cl_kernel kernel;

/* Ends the program if a call failed. Without this check, a later call would fail instead. */
static void check(cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return;
    fflush(stdout);
    fprintf(stderr, "step00: %s failed with error %d. CL/cl.h names this error.\n", call, status);
    exit(2);
}

/* Fills the array and returns its sum, modulo 2^32. All elements differ: if all were 1, the sum
 * would be right even if the kernel read one element twice and skipped another one. */
static cl_uint fill_elements(void)
{
    cl_uint sum = 0;
    for (cl_uint i = 0; i < N; i++) {
        elements[i] = (i ^ (i >> 7)) * 2654435761u;
        sum += elements[i];
    }
    return sum;
}

static void prepare_device(cl_device_id device)
{
    cl_int status;
    // 1 Context: it owns every object that the host creates below, and it belongs to this device.
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    // 2 Queue: the host appends commands to it, and the device executes them in this order.
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    // 3 Buffers: memory of the device, because a kernel cannot reach the host's arrays.
    in = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof elements, NULL, &status);
    check(status, "clCreateBuffer");
    out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof partials, NULL, &status);
    check(status, "clCreateBuffer");
}

static void compile_kernel(cl_device_id device)
{
    cl_int status;
    // 4 Program: the runtime (the driver of the device) copies the kernel's text.
    cl_program program = clCreateProgramWithSource(context, 1, &kernel_text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    // 5 Build: the runtime compiles the text for this device. It writes errors to a log.
    status = clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
    static char log[1 << 20];
    if (status != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("%s\n", log);
    }
    check(status, "clBuildProgram");
    // 6 Kernel: a program may have several kernels. The host launches this one.
    kernel = clCreateKernel(program, "reduce", &status);
    check(status, "clCreateKernel");
    check(clReleaseProgram(program), "clReleaseProgram"); // The kernel still refers to it.
}

static cl_uint sum_on_device(void)
{
    cl_int status;
    // 7 Write: the call copies the elements to the device. CL_TRUE makes it wait for the copy.
    status = clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, sizeof elements, elements, 0, NULL, NULL);
    check(status, "clEnqueueWriteBuffer");
    // 8 Arguments: the kernel object stores the value of each parameter for the launch.
    check(clSetKernelArg(kernel, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof(cl_ulong), &(cl_ulong) { N }), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof out, &out), "clSetKernelArg");
    // 9 Launch: WORK_ITEMS work-items run the kernel. The call does not wait for them.
    const size_t global_size = WORK_ITEMS;
    status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, NULL, 0, NULL, NULL);
    check(status, "clEnqueueNDRangeKernel");
    // 10 Read: CL_TRUE makes the call wait for the launch and the copy. Then the host adds up.
    status = clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof partials, partials, 0, NULL, NULL);
    check(status, "clEnqueueReadBuffer");
    cl_uint sum = 0;
    for (int i = 0; i < WORK_ITEMS; i++)
        sum += partials[i];
    return sum;
}

static void release_objects(void)
{
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseMemObject(out), "clReleaseMemObject");
    check(clReleaseMemObject(in), "clReleaseMemObject");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
}

/* Carries out one whole reduction. Returns whether the device's sum is right. */
static bool reduce(cl_device_id device)
{
    const cl_uint expected = fill_elements();
    prepare_device(device);
    compile_kernel(device);
    const cl_uint sum = sum_on_device();
    release_objects();
    printf("Sum of %d elements: device %u, host %u: ", N, sum, expected);
    puts(sum == expected ? "right\nNext: make step01 && ./step01"
                         : "WRONG\nDoes the kernel read each element exactly once?");
    return sum == expected;
}

int main(int argc, char **argv)
{
    cl_device_id device = find_device(argc, argv); // NULL if the user only wants the list
    const bool is_right = device == NULL || reduce(device);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("step00: cannot write to standard output\n", stderr);
        return 2;
    }
    return is_right ? 0 : 1;
}
