/* From the text of a kernel to something that can be launched.
 *
 *   operator.clh  [subgroup.clh]  06_two_stage.cl   ->  one program  ->  the kernel `reduce`
 *
 * A program is built once per file and options, and kept, whichever of its kernels are asked for: a
 * build costs a tenth of a second and more.
 */
#include "program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beside the program, wherever it was called from; a path of its own is left alone. */
static void kernel_path(const char *file, char *path, size_t size)
{
    const char *folder = getenv("REDUCE_KERNELS");
    char program[4096];
    if (strchr(file, '/')) {
        snprintf(path, size, "%s", file);
        return;
    }
    if (folder && *folder) {
        snprintf(path, size, "%s/%s", folder, file);
        return;
    }
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(program, '/');
    snprintf(path, size, "%.*s/kernels/%s", slash ? (int)(slash - program) : 1,
             slash ? program : ".", file);
}

/* The text, after a line that makes the compiler's messages name the file. */
static char *read_text(const char *file)
{
    char path[8192];
    kernel_path(file, path, sizeof path);
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) // reading from a pipe might never end
        fail("%s is no ordinary file: is REDUCE_KERNELS or --kernel right?", path);
    FILE *stream = fopen(path, "rb");
    if (!stream)
        fail("no kernel file %s: %s: is REDUCE_KERNELS or --kernel right?", path, strerror(errno));
    char *text = allocate(strlen(file) + 32);
    size_t length =
               (size_t)sprintf(text, "#line 1 \"%s\"\n", strpbrk(file, "\"\\\n") ? "kernel" : file),
           got;
    do {
        text = reallocate(text, length + 4096 + 1);
        got = fread(text + length, 1, 4096, stream);
        length += got;
    } while (got > 0);
    text[length] = '\0';
    if (ferror(stream))
        fail("cannot read the kernel file %s", path);
    fclose(stream);
    return text;
}

/* Goes into the data, so that a row can be traced to the very text that it was measured with. */
static uint32_t checksum(uint32_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* The whole log, however long: the line that matters is often the last. */
static void show_log(struct kernels *kernels, cl_program program, const char *file, bool failed)
{
    const struct device *device = kernels->device;
    size_t bytes = 0;
    CL(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes));
    char *log = allocate(bytes + 1);
    CL(clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL));
    bool warned = false;
    for (const char *line = log; line && !warned; line = strchr(line + 1, '\n')) {
        size_t length = strcspn(line + 1, "\n") + 1;
        const char *found = strstr(line, "warning"),
                   *remark = strstr(line, "loop not vectorized"); // Intel's remarks
        warned = found && found < line + length && !(remark && remark < line + length);
    }
    if ((failed || warned) && !kernels->log_shown)
        fprintf(stderr, "%s: build log of %s:\n%s\n", program_name, file, log);
    kernels->log_shown |= failed;
    free(log);
}

/* An integer of eight bytes, by whatever name: ulong, size_t, a typedef. */
static bool takes_n(const struct kernel *kernel, const char *type)
{
    static const char *const others[] = { "double", "float2",  "int2",  "uint2",
                                          "short4", "ushort4", "char8", "uchar8" };
    const cl_ulong n = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(type, others[i]) == 0)
            return false;
    cl_int status = clSetKernelArg(kernel->kernel, 1, sizeof n, &n);
    if (status != CL_INVALID_ARG_SIZE)
        check_cl(status, "clSetKernelArg");
    return status == CL_SUCCESS;
}

/* What is launched is reduce(in, n, out) or reduce(in, n, out, scratch): a kernel that takes
 * anything else would be handed the wrong things, and some runtimes crash on that. Not every device
 * can tell: then nothing is checked. */
static void check_arguments(const struct kernel *kernel, const char *file)
{
    static const cl_kernel_arg_address_qualifier expected[] = { CL_KERNEL_ARG_ADDRESS_GLOBAL,
                                                                CL_KERNEL_ARG_ADDRESS_PRIVATE,
                                                                CL_KERNEL_ARG_ADDRESS_GLOBAL,
                                                                CL_KERNEL_ARG_ADDRESS_LOCAL };
    bool right = kernel->arguments == 3 || kernel->arguments == 4;
    for (cl_uint i = 0; right && i < kernel->arguments; i++) {
        cl_kernel_arg_address_qualifier space = expected[i];
        char type[64] = "ulong";
        (void)clGetKernelArgInfo(kernel->kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                                 &space, NULL);
        if (i == 1)
            (void)clGetKernelArgInfo(kernel->kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type,
                                     NULL);
        right = space == expected[i] && (i != 1 || takes_n(kernel, type));
    }
    if (!right)
        fail("%s: reduce must take (global const input *in, ulong n, global value *out) and may "
             "take a fourth argument, "
             "local value *scratch",
             file);
}

enum { SOURCES = 5 }; // texts that make one program at most

/* False: it does not compile, and `forgiving` takes that. */
static bool build_program(struct kernel *kernel, struct kernels *kernels, const char *file,
                          const char *name, const char *options)
{
    const struct device *device = kernels->device;
    char *own = read_text(file);
    // What it may use comes before it: some devices cannot even compile atomics or sub-groups that
    // nobody uses.
    bool finishes = strstr(own, "in_last_group") != NULL;
    bool shares = finishes || strstr(own, "combine_global") || strstr(own, "combine_local");
    char *atomics = shares ? read_text("atomics.clh") : NULL;
    char *sub_groups = strstr(options, "-D LANES") ? read_text("subgroup.clh") : NULL;
    char *last_group = finishes ? read_text("last_group.clh") : NULL;
    char *read[] = { read_text("operator.clh"), atomics, sub_groups, last_group, own };
    const char *texts[SOURCES];
    cl_uint count = 0;
    cl_int status;

    kernel->combines = strstr(own, "combine") != NULL;
    kernel->checksum = 2166136261u;
    for (int i = 0; i < SOURCES; i++) {
        if (read[i]) {
            texts[count++] = read[i];
            kernel->checksum = checksum(kernel->checksum, read[i]);
        }
    }
    kernel->program = clCreateProgramWithSource(device->context, count, texts, NULL, &status);
    check_cl(status, "clCreateProgramWithSource");
    status = clBuildProgram(kernel->program, 1, &device->id, options, NULL, NULL);
    const bool failed = status == CL_BUILD_PROGRAM_FAILURE, ours = strcmp(name, "reduce") != 0;
    if (failed || status == CL_SUCCESS)
        show_log(kernels, kernel->program, file, failed);
    if (failed && ours)
        fail("the OpenCL runtime cannot compile %s: has it memory, can it write to its cache "
             "(HOME, POCL_CACHE_DIR)? "
             "Try another --device",
             file);
    if (failed && !kernels->forgiving)
        fail("%s does not compile (options: %s): see the log above", file, options);
    if (!failed)
        check_cl(status, "clBuildProgram");
    for (int i = 0; i < SOURCES; i++)
        free(read[i]);
    return !failed;
}

/* The function itself, and what the plan must know about it. */
static void create_kernel(struct kernel *kernel, const struct device *device, cl_program program,
                          const char *file, const char *name)
{
    cl_int status;
    kernel->kernel = clCreateKernel(program, name, &status);
    if (status == CL_INVALID_KERNEL_NAME)
        fail("%s has no kernel named '%s': that name and (in, n, out[, scratch]) are what is "
             "launched",
             file, name);
    check_cl(status, "clCreateKernel");
    CL(clGetKernelInfo(kernel->kernel, CL_KERNEL_NUM_ARGS, sizeof kernel->arguments,
                       &kernel->arguments, NULL));
    size_t fixed[3] = { 0, 0, 0 };
    CL(clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                sizeof fixed, fixed, NULL));
    if (fixed[0] > 0)
        fail("%s: its group size is compiled in (reqd_work_group_size): it must run with any",
             file);
    if (strcmp(name, "reduce") == 0)
        check_arguments(kernel, file);
    CL(clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                sizeof kernel->group_limit, &kernel->group_limit, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_LOCAL_MEM_SIZE,
                                sizeof kernel->local_bytes, &kernel->local_bytes, NULL));
}

uint32_t kernel_checksum(const char *file)
{
    char path[8192];
    kernel_path(file, path, sizeof path);
    if (access(path, R_OK) != 0)
        return 0; // a peer's loop lies elsewhere
    char *text = read_text(file);
    uint32_t sum = checksum(2166136261u, text);
    free(text);
    return sum;
}

struct kernel *kernel_get(struct kernels *kernels, const char *file, const char *name,
                          const char *options)
{
    size_t program = strlen(file) + strlen(options) + 2, bytes = program + strlen(name) + 1;
    const struct kernel *owner = NULL; // of the same program
    char *key = allocate(bytes);
    snprintf(key, bytes, "%s\n%s\n%s", file, options, name);
    for (size_t i = 0; i < kernels->count; i++) {
        if (strcmp(kernels->kernel[i]->key, key) == 0) {
            free(key);
            return kernels->kernel[i]->kernel ? kernels->kernel[i]
                                              : NULL; // NULL: it did not compile
        }
        if (!owner && kernels->kernel[i]->kernel &&
            strncmp(kernels->kernel[i]->key, key, program) == 0)
            owner = kernels->kernel[i];
    }
    struct kernel *kernel = allocate(sizeof *kernel);
    bool built = true;
    if (owner) {
        *kernel = *owner;
        kernel->program = NULL;
    } else {
        built = build_program(kernel, kernels, file, name, options);
    }
    kernel->key = key;
    if (built)
        create_kernel(kernel, kernels->device, owner ? owner->program : kernel->program, file,
                      name);
    kernels->kernel = reallocate(kernels->kernel, (kernels->count + 1) * sizeof *kernels->kernel);
    kernels->kernel[kernels->count++] =
        kernel; // what was not built is kept too, so that it is not tried again
    return built ? kernel : NULL;
}

void kernels_release(struct kernels *kernels)
{
    for (size_t i = 0; i < kernels->count; i++) {
        if (kernels->kernel[i]->kernel)
            CL(clReleaseKernel(kernels->kernel[i]->kernel));
        if (kernels->kernel[i]->program)
            CL(clReleaseProgram(kernels->kernel[i]->program));
        free(kernels->kernel[i]->key);
        free(kernels->kernel[i]);
    }
    free(kernels->kernel);
    kernels->kernel = NULL;
    kernels->count = 0;
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
