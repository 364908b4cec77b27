/* A library for LD_PRELOAD that lets Oclgrind report each access of a kernel, for accesses.py.
 *
 *   step -> clSetKernelArg          here: `in` and `scratch` become one byte long
 *        -> clEnqueueNDRangeKernel  here: runs the launch, prints "launch <groups> <group size>
 *                                   <bytes of the input>", and ends the program. (Under Oclgrind
 *                                   the input has no guard.)
 *
 * So each access to `in` or `scratch` is invalid, and Oclgrind prints the work-item and the
 * address. The addresses still begin at 0 and tell the element. The kernel itself is unchanged, so
 * the report does not depend on the words by which a kernel reads. The values that it reads are
 * wrong.
 */
#define _GNU_SOURCE // RTLD_NEXT
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t input_bytes; // 0: no argument has been set

static int is_reduce(cl_kernel kernel)
{
    char name[64] = "";
    return clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) ==
               CL_SUCCESS &&
           strcmp(name, "reduce") == 0;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    cl_int (*next)(cl_kernel, cl_uint, size_t, const void *);
    *(void **)&next = dlsym(RTLD_NEXT, "clSetKernelArg");
    if (!is_reduce(kernel) || (value && index > 0))
        return next(kernel, index, bytes, value);
    if (!value) // local memory
        return next(kernel, index, 1, NULL);
    if (input_bytes == 0) // later launches read partial results
        clGetMemObjectInfo(*(const cl_mem *)value, CL_MEM_SIZE, sizeof input_bytes, &input_bytes,
                           NULL);
    cl_context context;
    cl_int status = clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof context, &context, NULL);
    cl_mem byte = clCreateBuffer(context, CL_MEM_READ_ONLY, 1, NULL, &status);
    return status == CL_SUCCESS ? next(kernel, index, sizeof byte, &byte) : status;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *items, const size_t *group_size,
                              cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    cl_int (*next)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                   const size_t *, cl_uint, const cl_event *, cl_event *);
    *(void **)&next = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    const cl_int status =
        next(queue, kernel, dimensions, offset, items, group_size, waits, wait_list, event);
    if (status != CL_SUCCESS || !is_reduce(kernel))
        return status;
    clFinish(queue);
    printf("launch %zu %zu %zu\n", *items / *group_size, *group_size, input_bytes);
    exit(0);
}
