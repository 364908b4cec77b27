/* From the text of a kernel to something that can be launched.
 *
 *   tree.cl, with what it includes  ->  one program  ->  the kernel `reduce`
 *
 * A program is built once per file and options, and kept, whichever of its kernels are asked for: a
 * build costs a tenth of a second and more.
 */
#include "program.h"

#include "source.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole log, however long: the line that matters is often the last. */
static void show_log(struct kernels *kernels, cl_program program, const char *file, bool failed)
{
    cl_device_id id = kernels->device->id;
    size_t bytes = 0;
    CL(clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes));
    char *log = allocate(bytes + 1), *found = log;
    CL(clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL));
    for (bool remark = true; remark && (found = strstr(found, "warning"));) { // Intel's remarks
        const char *loop = strstr(found, "loop not vectorized");
        remark = loop && loop < found + strcspn(found, "\n");
        found += remark;
    }
    if ((failed || found) && !kernels->log_shown)
        fprintf(stderr, "%s: build log of %s:\n%s\n", program_name, file, log);
    kernels->log_shown |= failed;
    free(log);
}

/* False: it does not compile, and `forgiving` takes that. */
static bool build_program(struct kernels *kernels, struct kernel *kernel)
{
    const struct device *device = kernels->device;
    const char *file = kernel->file;
    char *text = source_text(file);
    kernel->checksum = 2166136261u; // so that a row can be traced to the very text it was made with
    for (const char *p = text; *p; p++)
        kernel->checksum = (kernel->checksum ^ (unsigned char)*p) * 16777619u;

    cl_int status;
    kernel->program =
        clCreateProgramWithSource(device->context, 1, (const char **)&text, NULL, &status);
    check_cl(status, "clCreateProgramWithSource");
    free(text);
    status = clBuildProgram(kernel->program, 1, &device->id, kernel->options, NULL, NULL);
    const bool failed = status == CL_BUILD_PROGRAM_FAILURE;
    if (failed || status == CL_SUCCESS)
        show_log(kernels, kernel->program, file, failed);
    if (failed && strcmp(kernel->name, "reduce") != 0) // our own
        fail("the OpenCL runtime cannot compile %s: has it memory, can it write to its cache "
             "(HOME, POCL_CACHE_DIR)? Try another --device",
             file);
    if (failed && !kernels->forgiving)
        fail("%s does not compile (options: %s): see the log above", file, kernel->options);
    if (!failed)
        check_cl(status, "clBuildProgram");
    return !failed;
}

/* What is launched is reduce(in, n, out) or reduce(in, n, out, scratch): a kernel that takes
 * anything else would be handed the wrong things, and some runtimes crash on that. Not every device
 * can tell: then nothing is checked. n is an integer of eight bytes, by whatever name. */
static bool takes_those(const struct kernel *kernel)
{
    char type[64] = "ulong", word[66];
    if (kernel->arguments != 3 && kernel->arguments != 4)
        return false;
    for (cl_uint i = 0; i < kernel->arguments; i++) {
        const cl_kernel_arg_address_qualifier expected = i == 1   ? CL_KERNEL_ARG_ADDRESS_PRIVATE
                                                         : i == 3 ? CL_KERNEL_ARG_ADDRESS_LOCAL
                                                                  : CL_KERNEL_ARG_ADDRESS_GLOBAL;
        cl_kernel_arg_address_qualifier space = expected;
        (void)clGetKernelArgInfo(kernel->kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                                 &space, NULL);
        if (space != expected)
            return false;
    }
    (void)clGetKernelArgInfo(kernel->kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
    snprintf(word, sizeof word, " %s ", type);
    if (strstr(" double float2 int2 uint2 short4 ushort4 char8 uchar8 ", word))
        return false;
    const cl_ulong n = 0;
    cl_int status = clSetKernelArg(kernel->kernel, 1, sizeof n, &n);
    if (status != CL_INVALID_ARG_SIZE)
        check_cl(status, "clSetKernelArg");
    return status == CL_SUCCESS;
}

/* The function itself, and what the plan must know about it. */
static void create_kernel(struct kernel *kernel, cl_device_id id)
{
    const char *file = kernel->file;
    size_t fixed[3] = { 0, 0, 0 };
    cl_int status;
    kernel->kernel = clCreateKernel(kernel->program, kernel->name, &status);
    if (status == CL_INVALID_KERNEL_NAME)
        fail("%s has no kernel named '%s': that name and (in, n, out[, scratch]) are what is "
             "launched",
             file, kernel->name);
    check_cl(status, "clCreateKernel");
    CL(clGetKernelInfo(kernel->kernel, CL_KERNEL_NUM_ARGS, sizeof kernel->arguments,
                       &kernel->arguments, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof fixed,
                                fixed, NULL));
    if (fixed[0] > 0)
        fail("%s: its group size is compiled in (reqd_work_group_size): it must run with any",
             file);
    if (strcmp(kernel->name, "reduce") == 0 && !takes_those(kernel))
        fail("%s: reduce must take (global const input *in, ulong n, global value *out) and may "
             "take a fourth argument, local value *scratch",
             file);
    CL(clGetKernelWorkGroupInfo(kernel->kernel, id, CL_KERNEL_WORK_GROUP_SIZE,
                                sizeof kernel->group_limit, &kernel->group_limit, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, id, CL_KERNEL_LOCAL_MEM_SIZE,
                                sizeof kernel->local_bytes, &kernel->local_bytes, NULL));
}

struct kernel *kernel_get(struct kernels *kernels, const char *file, const char *name,
                          const char *options)
{
    const struct kernel *same = NULL; // of the same program
    struct kernel *kernel;
    for (kernel = kernels->first; kernel; kernel = kernel->next) {
        if (strcmp(kernel->file, file) != 0 || strcmp(kernel->options, options) != 0)
            continue;
        if (strcmp(kernel->name, name) == 0) // what did not compile is not tried again
            return kernel->kernel ? kernel : NULL;
        same = kernel;
    }
    kernel = allocate(sizeof *kernel + strlen(options) + 1);
    *kernel = (struct kernel) { .file = file, .name = name, .owns_program = !same };
    kernel->next = kernels->first;
    kernels->first = kernel;
    strcpy(kernel->options, options);
    if (same) {
        kernel->program = same->program;
        kernel->checksum = same->checksum;
    } else if (!build_program(kernels, kernel)) {
        return NULL;
    }
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
