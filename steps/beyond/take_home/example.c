/* Adds up an array on the first OpenCL device of this machine. */
#include "reduce.h"

#include <stdio.h>
#include <stdlib.h>

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "take_home: %s failed: error %d\n", what, status);
        exit(2);
    }
}

int main(void)
{
    static cl_int numbers[1000003];
    const size_t n = sizeof numbers / sizeof *numbers;
    cl_int sum, status;
    cl_platform_id platforms[8];
    cl_device_id device = NULL;
    cl_uint count = 0;
    reducer *r;

    for (size_t i = 0; i < n; i++)
        numbers[i] = (cl_int)(i % 1000);
    check(clGetPlatformIDs(8, platforms, &count), "clGetPlatformIDs");
    for (cl_uint p = 0; p < count && p < 8 && !device; p++)
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &status);
    check(status, "clCreateBuffer");

    check(reducer_create(queue, &r), "reducer_create");
    check(reduce_sum_int(r, buffer, 0, n, &sum), "reduce_sum_int");
    printf("the sum of %zu numbers is %d\n", n, sum);
    reducer_release(r);
}
