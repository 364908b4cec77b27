/* Adds up an array on the first OpenCL device of this machine. */
#include "reduce.h"

#include <stdio.h>
#include <stdlib.h>

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "take_home: %s failed: error %d\n", what, status);
    exit(2);
}

int main(void)
{
    enum { N = 1000003 };
    static cl_int numbers[N];
    cl_int status, sum, least;
    cl_uint count = 0;
    cl_platform_id platforms[16];
    cl_device_id device = NULL;
    reducer *r;

    for (int i = 0; i < N; i++)
        numbers[i] = i % 1000 - 7;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint p = 0; p < count && p < 16 && !device; p++)
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof numbers,
                                   numbers, &status);
    check(status, "clCreateBuffer");

    check(reducer_create(queue, &r), "reducer_create");
    check(reduce_sum_int(r, buffer, 0, N, &sum), "reduce_sum_int");
    check(reduce_min_int(r, buffer, 0, N, &least), "reduce_min_int");
    printf("%d numbers: the sum is %d, the least one is %d\n", N, sum, least);

    reducer_release(r);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}
