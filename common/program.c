/* From the text of a kernel to something that can be launched.
 *
 *   tree.cl, with what it includes  ->  one program  ->  the kernel `reduce`
 *
 * A build costs a tenth of a second and more: a program is kept, whichever of its kernels are asked
 * for. */
#include "program.h"

#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 4096, DEPTH = 8 }; // of a folder's name, at most; of files within files

/* ---- the text */
const char *beside_program(const char *name)
{
    static char path[PATH + 40];
    char program[PATH] = "";
    (void)!readlink("/proc/self/exe", program, PATH - 1);
    snprintf(path, sizeof path, "%s/%s", dirname(program), name);
    return path;
}

static const char *kernels_folder(void)
{
    const char *folder = getenv("REDUCE_KERNELS");
    return folder && *folder ? folder : beside_program("kernels");
}

/* NULL: no file to be read. A pipe is none: it might never end. */
static FILE *open_in(const char *folder, const char *name)
{
    char path[2 * PATH];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "r") : NULL;
}

/* The file that a line includes: "atomics.clh", or, as in operator.clh, FILE_IN(operators,
 * OPERATOR), which is "operators/min.clh" if the options say so. Returns the directive's length; 0:
 * none. */
static int included_file(const char *line, const char *options, char included[256])
{
    char folder[64], word[64], option[80];
    int length = 0;
    if (sscanf(line, " # include \"%255[^\"]\"%n", included, &length) == 1 && length > 0)
        return length;
    if (sscanf(line, " # include FILE_IN(%63[^,], %63[^)])%n", folder, word, &length) != 2)
        return 0;
    snprintf(option, sizeof option, "-D %s=", word);
    const char *given = strstr(options, option), *usual = strcmp(word, "ELEMENT") ? "sum" : "int";
    const char *name = given ? given + strlen(option) : usual;
    snprintf(included, 256, "%s/%.*s.clh", folder, (int)strcspn(name, " "), name);
    return length;
}

/* Each line goes through as it is, and in place of an #include goes the file's text; that of a file
 * which is not there stays, and the compiler names the place. #if is not looked at: a file may come
 * twice, or within itself, and guards itself as in C. For exercise.py kernels print nothing. */
static void put_text(FILE *to, FILE *from, const char *name, const char *folder,
                     const char *options, int depth)
{
    char *line = NULL, included[256];
    size_t size = 0;
    bool comment = false; // that goes on in the next line
    fprintf(to, "%s#line 1 \"%s\"\n", getenv("REDUCE_NO_PRINTF") ? "#define printf (void)\n" : "",
            name);
    for (unsigned number = 1; getline(&line, &size, from) > 0; number++) {
        FILE *within = NULL;
        int length = 0;
        if (!comment && depth < DEPTH)
            length = included_file(line, options, included);
        if (length > 0 && !(within = open_in(folder, included)))
            within = open_in(kernels_folder(), included);
        if (within) {
            put_text(to, within, included, folder, options, depth + 1);
            fprintf(to, "\n#line %u \"%s\"\n", number, name);
        }
        comment = (comment || strstr(line, "/*")) && !strstr(line, "*/");
        fputs(within ? line + length : line, to);
        if (strncmp(line, "#e", 2) == 0) // #else, #endif: in a part left out no #line counts
            fprintf(to, "#line %u \"%s\"\n", number + 1, name);
    }
    free(line);
    fclose(from);
}

/* free() it. */
static char *text_of(const char *file, const char *options)
{
    char *text = NULL, path[PATH];
    size_t length;
    snprintf(path, sizeof path, "%s", file);
    const char *folder = strchr(file, '/') ? dirname(path) : kernels_folder(),
               *name = strchr(file, '/') ? strrchr(file, '/') + 1 : file;
    FILE *from = open_in(folder, name), *to = open_memstream(&text, &length);
    if (!from)
        fail("no kernel file %s/%s, or no ordinary file: is REDUCE_KERNELS or --kernel right?",
             folder, name);
    if (to)
        put_text(to, from, file, folder, options, 0);
    if (!to || fclose(to) != 0)
        fail("the host has no memory left for the text of %s", file);
    return text;
}

/* ---- the program */
static const char no_size_t[] =
    "size_t is not allowed for a kernel's argument in OpenCL C: write ulong";

/* The whole log, however long: the line that matters is often the last. */
static void show_log(const struct kernel *kernel, cl_device_id id, bool failed)
{
    size_t bytes = 0;
    CL(clGetProgramBuildInfo(kernel->program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes));
    char *log = allocate(bytes + 1);
    CL(clGetProgramBuildInfo(kernel->program, id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL));
    if (failed || strstr(log, "warning"))
        fprintf(stderr, "%s: build log of %s:\n%s\n", program_name, kernel->file, log);
    if (failed && strstr(log, "cannot be used as the type of a kernel parameter"))
        fprintf(stderr, "%s: %s: %s\n", program_name, kernel->file, no_size_t);
    free(log);
}

/* NULL: it does not compile, and if_broken takes that. */
static cl_program build(const struct device *device, struct kernel *kernel)
{
    struct kernels *kernels = device->kernels;
    char *text = text_of(kernel->file, kernel->options);
    cl_int status;
    kernel->program =
        clCreateProgramWithSource(device->context, 1, (const char **)&text, NULL, &status);
    check_cl(status, "clCreateProgramWithSource");
    free(text);
    status = clBuildProgram(kernel->program, 1, &device->id, kernel->options, NULL, NULL);
    if (status != CL_BUILD_PROGRAM_FAILURE)
        check_cl(status, "clBuildProgram");
    if (kernels->if_broken != HIDE_LOG)
        show_log(kernel, device->id, status != CL_SUCCESS);
    if (status == CL_SUCCESS)
        return kernel->program;
    const bool ours = strcmp(kernel->name, "reduce") != 0; // then it is the runtime that fails
    if (ours || kernels->if_broken == FAIL)
        fail("%s does not compile (options: %s): see the log above%s", kernel->file,
             kernel->options,
             ours ? "; can the runtime write to its cache (HOME, POCL_CACHE_DIR)?" : "");
    kernels->if_broken = HIDE_LOG; // once is enough
    return NULL;
}

/* What is launched is reduce(in, n, out) or reduce(in, n, out, scratch): a kernel that takes
 * anything else would be handed the wrong things, and some runtimes crash on that. n is of eight
 * bytes, by whatever name. What the device cannot tell is as it should be. */
static bool takes_those(const struct kernel *kernel)
{
    static const cl_uint spaces[] = { CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_PRIVATE,
                                      CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL };
    const cl_ulong n = 0;
    char type[64] = "";
    bool fits = kernel->arguments == 3 || kernel->arguments == 4;
    for (cl_uint i = 0; fits && i < kernel->arguments; i++) {
        cl_uint space = spaces[i];
        (void)clGetKernelArgInfo(kernel->kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                                 &space, NULL);
        fits = space == spaces[i];
    }
    (void)clGetKernelArgInfo(kernel->kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
    if (strcmp(type, "size_t") == 0) // a runtime that compiles it all the same
        fail("%s: %s", kernel->file, no_size_t);
    const cl_int status = fits ? clSetKernelArg(kernel->kernel, 1, sizeof n, &n) : CL_SUCCESS;
    if (status != CL_INVALID_ARG_SIZE)
        check_cl(status, "clSetKernelArg");
    return fits && status == CL_SUCCESS;
}

/* The function itself, and what the plan must know about it. */
static void create(struct kernel *kernel, cl_program program, cl_device_id id)
{
    cl_int status;
    kernel->kernel = clCreateKernel(program, kernel->name, &status);
    if (status == CL_INVALID_KERNEL_NAME)
        fail("%s has no kernel named '%s', which is what is launched", kernel->file, kernel->name);
    check_cl(status, "clCreateKernel");
    CL(clGetKernelInfo(kernel->kernel, CL_KERNEL_NUM_ARGS, sizeof kernel->arguments,
                       &kernel->arguments, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, id, CL_KERNEL_WORK_GROUP_SIZE,
                                sizeof kernel->group_limit, &kernel->group_limit, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, id, CL_KERNEL_LOCAL_MEM_SIZE,
                                sizeof kernel->local_bytes, &kernel->local_bytes, NULL));
    if (strcmp(kernel->name, "reduce") == 0 && !takes_those(kernel))
        fail("%s: reduce must take (global const input *in, ulong n, global value *out) and may "
             "take a fourth argument, local value *scratch",
             kernel->file);
}

const struct kernel *kernel_get(const struct device *device, const char *file, const char *name,
                                const char *options)
{
    struct kernels *kernels = device->kernels;
    struct kernel *kernel;
    cl_program program = NULL;
    for (kernel = kernels->first; kernel; kernel = kernel->next) {
        if (strcmp(kernel->file, file) != 0 || strcmp(kernel->options, options) != 0)
            continue;
        if (strcmp(kernel->name, name) == 0) // what did not compile is not tried again
            return kernel->kernel ? kernel : NULL;
        program = kernel->program ? kernel->program : program;
    }
    kernel = allocate(sizeof *kernel);
    *kernel = (struct kernel) { .file = file, .name = name, .next = kernels->first };
    snprintf(kernel->options, sizeof kernel->options, "%s", options);
    kernels->first = kernel;
    if (!program)
        program = build(device, kernel);
    if (program)
        create(kernel, program, device->id);
    return program ? kernel : NULL;
}

void kernels_release(const struct device *device)
{
    for (struct kernel *kernel = device->kernels->first, *next; kernel; kernel = next) {
        next = kernel->next;
        if (kernel->kernel)
            CL(clReleaseKernel(kernel->kernel));
        if (kernel->program)
            CL(clReleaseProgram(kernel->program));
        free(kernel);
    }
}

void kernel_set(const struct kernel *kernel, ...)
{
    va_list arguments;
    va_start(arguments, kernel);
    for (cl_uint i = 0; i < kernel->arguments; i++) {
        const size_t size = va_arg(arguments, size_t);
        CL(clSetKernelArg(kernel->kernel, i, size, va_arg(arguments, const void *)));
    }
    va_end(arguments);
}

void kernel_launch(cl_command_queue queue, const struct kernel *kernel, uint64_t items,
                   size_t group, cl_event *event)
{
    const size_t local = group < kernel->group_limit ? group : kernel->group_limit,
                 global = ceil_div(items, local) * local;
    CL(clEnqueueNDRangeKernel(queue, kernel->kernel, 1, NULL, &global, &local, 0, NULL, event));
}
