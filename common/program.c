/* From the text of a kernel to something that can be launched.
 *
 *   two_stage.cl, with what it includes  ->  one program  ->  the kernel `reduce`
 *
 * A build costs a tenth of a second and more: a program is kept, whichever of its kernels are asked
 * for. */
#include "program.h"

#include "source.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole log, however long: the line that matters is often the last. */
static void show_log(struct kernels *kernels, const struct kernel *kernel, bool failed)
{
    cl_device_id id = kernels->device->id;
    size_t bytes = 0;
    CL(clGetProgramBuildInfo(kernel->program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes));
    char *log = allocate(bytes + 1);
    CL(clGetProgramBuildInfo(kernel->program, id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL));
    if ((failed || strstr(log, "warning")) && !kernels->log_shown)
        fprintf(stderr, "%s: build log of %s:\n%s\n", program_name, kernel->file, log);
    kernels->log_shown |= failed;
    free(log);
}

/* False: it does not compile, and `forgiving` takes that. */
static bool build_program(struct kernels *kernels, struct kernel *kernel)
{
    const struct device *device = kernels->device;
    char *text = source_text(kernel->file);
    kernel->checksum = 2166136261u; // so that a row can be traced to the very text it was made with
    for (const char *p = text; *p; p++)
        kernel->checksum = (kernel->checksum ^ (unsigned char)*p) * 16777619u;

    cl_int status;
    const char *texts[] = { text };
    kernel->program = clCreateProgramWithSource(device->context, 1, texts, NULL, &status);
    check_cl(status, "clCreateProgramWithSource");
    free(text);
    status = clBuildProgram(kernel->program, 1, &device->id, kernel->options, NULL, NULL);
    const bool failed = status == CL_BUILD_PROGRAM_FAILURE;
    if (!failed)
        check_cl(status, "clBuildProgram");
    show_log(kernels, kernel, failed);
    if (failed && strcmp(kernel->name, "reduce") != 0) // our own
        fail("the OpenCL runtime cannot compile %s: has it memory, can it write to its cache "
             "(HOME, POCL_CACHE_DIR)? Try another --device",
             kernel->file);
    if (failed && !kernels->forgiving)
        fail("%s does not compile (options: %s): see the log above", kernel->file, kernel->options);
    return !failed;
}

/* What is launched is reduce(in, n, out) or reduce(in, n, out, scratch): a kernel that takes
 * anything else would be handed the wrong things, and some runtimes crash on that. n is an integer
 * of eight bytes, by whatever name. What the device cannot tell is as it should be. */
static bool takes_those(const struct kernel *kernel)
{
    static const cl_kernel_arg_address_qualifier spaces[] = { CL_KERNEL_ARG_ADDRESS_GLOBAL,
                                                              CL_KERNEL_ARG_ADDRESS_PRIVATE,
                                                              CL_KERNEL_ARG_ADDRESS_GLOBAL,
                                                              CL_KERNEL_ARG_ADDRESS_LOCAL };
    char type[64] = "ulong";
    const cl_ulong n = 0;
    if (kernel->arguments != 3 && kernel->arguments != 4)
        return false;
    for (cl_uint i = 0; i < kernel->arguments; i++) {
        cl_kernel_arg_address_qualifier space = spaces[i];
        (void)clGetKernelArgInfo(kernel->kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                                 &space, NULL);
        if (space != spaces[i])
            return false;
    }
    (void)clGetKernelArgInfo(kernel->kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
    cl_int status = clSetKernelArg(kernel->kernel, 1, sizeof n, &n);
    if (status == CL_INVALID_ARG_SIZE || strcmp(type, "double") == 0)
        return false;
    check_cl(status, "clSetKernelArg");
    return true;
}

/* The function itself, and what the plan must know about it. */
static void create_kernel(struct kernel *kernel, cl_device_id id)
{
    const char *file = kernel->file;
    size_t fixed[3] = { 0, 0, 0 };
    cl_int status;
    kernel->kernel = clCreateKernel(kernel->program, kernel->name, &status);
    if (status == CL_INVALID_KERNEL_NAME)
        fail("%s has no kernel named '%s', which is what is launched", file, kernel->name);
    check_cl(status, "clCreateKernel");
    CL(clGetKernelInfo(kernel->kernel, CL_KERNEL_NUM_ARGS, sizeof kernel->arguments,
                       &kernel->arguments, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof fixed,
                                fixed, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, id, CL_KERNEL_WORK_GROUP_SIZE,
                                sizeof kernel->group_limit, &kernel->group_limit, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, id, CL_KERNEL_LOCAL_MEM_SIZE,
                                sizeof kernel->local_bytes, &kernel->local_bytes, NULL));
    if (fixed[0] > 0)
        fail("%s: has reqd_work_group_size, but must run in groups of any size", file);
    if (strcmp(kernel->name, "reduce") == 0 && !takes_those(kernel))
        fail("%s: reduce must take (global const input *in, ulong n, global value *out) and may "
             "take a fourth argument, local value *scratch",
             file);
}

struct kernel *kernel_get(struct kernels *kernels, const char *file, const char *name,
                          const char *options)
{
    struct kernel *kernel, *same = NULL; // of the same program
    for (kernel = kernels->first; kernel; kernel = kernel->next) {
        if (strcmp(kernel->file, file) != 0 || strcmp(kernel->options, options) != 0)
            continue;
        if (strcmp(kernel->name, name) == 0) // what did not compile is not tried again
            return kernel->kernel ? kernel : NULL;
        same = kernel;
    }
    kernel = allocate(sizeof *kernel);
    *kernel = (struct kernel) { .file = file, .name = name, .next = kernels->first };
    kernels->first = kernel;
    snprintf(kernel->options, sizeof kernel->options, "%s", options);
    kernel->owns_program = !same;
    kernel->program = same ? same->program : NULL;
    if (!same && !build_program(kernels, kernel))
        return NULL;
    create_kernel(kernel, kernels->device->id);
    return kernel;
}

void kernels_release(struct kernels *kernels)
{
    for (struct kernel *kernel = kernels->first, *next; kernel; kernel = next) {
        next = kernel->next;
        if (kernel->kernel)
            CL(clReleaseKernel(kernel->kernel));
        if (kernel->owns_program)
            CL(clReleaseProgram(kernel->program));
        free(kernel);
    }
    kernels->first = NULL;
}

void kernel_set(const struct kernel *kernel, ...)
{
    va_list arguments;
    va_start(arguments, kernel);
    cl_uint index = 0;
    for (size_t size; (size = va_arg(arguments, size_t)) != 0; index++)
        CL(clSetKernelArg(kernel->kernel, index, size, va_arg(arguments, const void *)));
    va_end(arguments);
}

void kernel_launch(const struct device *device, const struct kernel *kernel, cl_uint dimensions,
                   const size_t *global, const size_t *local, cl_event *event)
{
    CL(clEnqueueNDRangeKernel(device->queue, kernel->kernel, dimensions, NULL, global, local, 0,
                              NULL, event));
}
