/*   get_kernel        has this file been built with these options?
 *     open_folders    no: where is the file, and where are the files that it includes?
 *     build           the compiler reads them
 *     create          the kernel of this name, and what the plan must know about it
 *
 * A build costs a tenth of a second and more, so every program is kept. */
#define _GNU_SOURCE // strcasestr, asprintf, O_PATH
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the files */
enum { LEAST_FOLDER = 100 };    // a descriptor; no other file of the program has such a number
#define FOLDER "/proc/self/fd/" // and its descriptor

struct folders { // in which the compiler looks for included files
    int own;     // that of the kernel's file
    int kernels; // kernels/
};

const char *shown_name(const char *file)
{
    return strncmp(file, "./", 2) == 0 && file[2] != '-' ? file + 2 : file;
}

void write_quoted(FILE *to, const char *text, const char *word)
{
    const size_t plain =
        strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                     "_./,:^+-");
    const char *quote = *word && !word[plain] ? "" : "'";
    fprintf(to, "%s%s", text, quote);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", to);
        else
            fputc(*word, to);
    fputs(quote, to);
}

/* The folders are open, so that the compiler can know them by short names without blanks, which
 * pocl 3.1 and NVIDIA's compiler need, and by the same names in each run, which finds the program
 * in pocl's cache. Fails if the kernel's file is no text: a pipe might never end. */
static struct folders open_folders(const struct device *device, const char *file)
{
    const bool is_path = *file == '/' || *file == '.';
    char *path, *line = NULL;
    size_t size = 0;
    ssize_t bytes;
    struct stat about;
    if (asprintf(&path, "%s%s%s", is_path ? "" : device->kernel_folder, is_path ? "" : "/", file) <
        0)
        fail("the host has no memory left for the path of %s", file);
    FILE *from = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "r") : NULL;
    const char *const paths[] = { dirname(path), device->kernel_folder };
    const char *slash = strrchr(file, '/');
    int folders[2];
    if (!from)
        fail("no kernel file '%s' in %s, or it is not an ordinary file that you may read: is its "
             "name or REDUCE_KERNELS right?",
             slash ? slash + 1 : file, paths[0]);
    if (strpbrk(slash ? slash + 1 : file, "\"\\")) // C leaves open what such an #include means
        fail("%s: no #include can name a file whose name contains \" or \\: rename the file",
             shown_name(file));
    for (unsigned number = 1; (bytes = getline(&line, &size, from)) > 0; number++)
        if (strlen(line) < (size_t)bytes)
            fail("%s: line %u has a byte 0: is this a text file?", shown_name(file), number);
    free(line);
    fclose(from);
    for (int i = 0; i < 2; i++) {
        const int folder = open(paths[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        folders[i] = folder < 0 ? -1 : fcntl(folder, F_DUPFD_CLOEXEC, LEAST_FOLDER);
        if (folders[i] < 0)
            fail("%s: %s, so the compiler finds no included file there: is REDUCE_KERNELS right?",
                 paths[i], strerror(errno));
        close(folder);
    }
    free(path);
    return (struct folders) { folders[0], folders[1] };
}

/* ---- the program */

/* Oclgrind mixes what a kernel prints with its own counts, which the exercises read. */
static const char no_printf[] = "int printf(constant const char *format, ...) { return 0; }\n";

/* Notes why the kernel cannot be used. Returns false. */
static bool refuse(struct kernel *kernel, const char *why, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(struct kernel *kernel, const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(kernel->why, sizeof kernel->why, why, arguments);
    va_end(arguments);
    return false;
}

/* Prints the path that the user has typed instead of the short name of the kernel's own folder. A
 * file of kernels/ keeps only its name. */
void print_build_log(const struct kernel *kernel)
{
    const char *path = shown_name(kernel->file), *slash = strrchr(path, '/'), *from = kernel->log;
    const int length = slash ? (int)(slash + 1 - path) : 0; // of the folder's path
    char *end;
    if (!from || !*from)
        return;
    fprintf(stderr, "%s: build log of %s:\n", program_name, path);
    for (const char *at; (at = strstr(from, FOLDER)); from = end + (*end == '/')) {
        const bool is_own = strtol(at + strlen(FOLDER), &end, 10) == kernel->own_folder;
        fprintf(stderr, "%.*s%.*s", (int)(at - from), from, is_own ? length : 0, path);
    }
    fprintf(stderr, "%s\n", from);
}

/* The compiler reads the kernel's file itself, because it would look for the files that a text
 * includes in the working folder first. False: the kernel does not compile. */
static bool build(const struct device *device, struct kernel *kernel, struct folders folders)
{
    static const char *last_with_warnings; // once is enough, although each operation has a build
    const bool hides_printf = device->is_simulated && getenv("REDUCE_NO_PRINTF");
    const char *slash = strrchr(kernel->file, '/'), *name = slash ? slash + 1 : kernel->file;
    char own[40], kernels[40], *file, *options, *source;
    cl_int status;
    snprintf(own, sizeof own, FOLDER "%d", folders.own);
    snprintf(kernels, sizeof kernels, FOLDER "%d", folders.kernels);
    if (asprintf(&file, "%s/%s", own, name) < 0 ||
        asprintf(&options, "%s -I %s -I %s", kernel->options, own, kernels) < 0 ||
        asprintf(&source, "%s#include \"%s\"\n", hides_printf ? no_printf : "", file) < 0)
        fail("the host has no memory left to compile %s", kernel->file);
    kernel->program =
        clCreateProgramWithSource(device->context, 1, (const char **)&source, NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clCreateProgramWithSource");
    // Without an error in the log, once more: another process may have been writing the same
    // program to pocl's cache, which pocl does not notice.
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t bytes = 0; // of the whole log: the line that matters is often the last
        status = clBuildProgram(kernel->program, 1, &device->id, options, NULL, NULL);
        if (status != CL_SUCCESS && status != CL_BUILD_PROGRAM_FAILURE)
            fail_in_opencl(status, "clBuildProgram");
        CL(clGetProgramBuildInfo(kernel->program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                 &bytes));
        free(kernel->log);
        if (!(kernel->log = calloc(1, bytes + 1)))
            fail("the host has no memory left for the build log of %s", kernel->file);
        CL(clGetProgramBuildInfo(kernel->program, device->id, CL_PROGRAM_BUILD_LOG, bytes,
                                 kernel->log, NULL));
        if (status == CL_SUCCESS || strcasestr(kernel->log, "error"))
            break;
    }
    free(file);
    free(options);
    free(source);
    if (status != CL_SUCCESS && !strcasestr(kernel->log, "error"))
        return refuse(
            kernel, "does not compile, but the log names no error: is the disk full (HOME, "
                    "POCL_CACHE_DIR) or read-only, or is a tool such as ld missing? ./step00 tests "
                    "the former");
    if (status != CL_SUCCESS)
        return refuse(kernel, "does not compile (options: %s): see the log", kernel->options);
    // Those of the compiler come first. Those without a place are remarks of Intel's optimizer.
    const char *warning = strstr(kernel->log, "warning"), without_place[] = "warning: <unknown>";
    if (warning && strncmp(warning, without_place, strlen(without_place)) != 0 &&
        kernel->file != last_with_warnings) {
        print_build_log(kernel);
        last_with_warnings = kernel->file;
    }
    free(kernel->log);
    kernel->log = NULL;
    return true;
}

/* ---- the kernel */

#define RIGHT_ARGUMENTS                                                                            \
    "(global const input *in, ulong n, global value *out) and may take a fourth argument, local "  \
    "value *scratch"

/* Other arguments would receive the wrong values, and some runtimes crash on that. n must have
 * eight bytes. What the device does not tell about its arguments is not checked. */
static bool check_arguments(struct kernel *kernel)
{
    static const cl_uint spaces[] = { CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_PRIVATE,
                                      CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL };
    const cl_ulong n = 0;
    cl_uint fitting = 0; // arguments, from the first one on
    if (kernel->argument_count != 3 && kernel->argument_count != 4)
        return refuse(kernel, "reduce has %u arguments, but must take " RIGHT_ARGUMENTS,
                      kernel->argument_count);
    for (; fitting < kernel->argument_count; fitting++) {
        cl_uint space = spaces[fitting];
        (void)clGetKernelArgInfo(kernel->kernel, fitting, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                 sizeof space, &space, NULL);
        if (space != spaces[fitting])
            break;
    }
    const cl_int status =
        fitting < 2 ? CL_SUCCESS : clSetKernelArg(kernel->kernel, 1, sizeof n, &n);
    if (status != CL_SUCCESS && status != CL_INVALID_ARG_SIZE)
        fail_in_opencl(status, "clSetKernelArg");
    fitting = status == CL_INVALID_ARG_SIZE ? 1 : fitting;
    return fitting == kernel->argument_count ||
           refuse(kernel, "argument %u of reduce is wrong: reduce must take " RIGHT_ARGUMENTS,
                  fitting + 1);
}

/* Creates the kernel, and reads what the plan must know about it. False: the device cannot use it.
 */
static bool create(struct kernel *kernel, cl_program program, const struct device *device)
{
    size_t required[3] = { 0 };
    cl_ulong private_bytes = 0; // of a work-item
    cl_int status;
    kernel->kernel = clCreateKernel(program, kernel->name, &status);
    if (status == CL_INVALID_KERNEL_NAME)
        return refuse(kernel, "has no kernel named '%s', which is what is launched", kernel->name);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clCreateKernel");
    CL(clGetKernelInfo(kernel->kernel, CL_KERNEL_NUM_ARGS, sizeof kernel->argument_count,
                       &kernel->argument_count, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                sizeof kernel->largest_group, &kernel->largest_group, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                sizeof required, required, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_LOCAL_MEM_SIZE,
                                sizeof kernel->local_bytes, &kernel->local_bytes, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_PRIVATE_MEM_SIZE,
                                sizeof private_bytes, &private_bytes, NULL));
    kernel->required_group_size = required[0];
    if (required[1] > 1 || required[2] > 1)
        return refuse(kernel,
                      "the kernel requires groups of %zu x %zu x %zu (reqd_work_group_size), but "
                      "the launches here have one dimension",
                      required[0], required[1], required[2]);
    if (kernel->local_bytes > device->local_bytes)
        return refuse(kernel,
                      "the kernel declares %" PRIu64 " bytes of local memory, but a group has only "
                      "%" PRIu64 " on this device",
                      (uint64_t)kernel->local_bytes, (uint64_t)device->local_bytes);
    if (kernel->largest_group == 1 && device->largest_group > 1 && private_bytes >= 1 << 20)
        return refuse(kernel,
                      "the runtime counts %" PRIu64 " bytes of private arrays in the kernel, "
                      "so this device can run one work-item in a group only: does such an array "
                      "belong in global memory?",
                      (uint64_t)private_bytes);
    return true;
}

const struct kernel *get_kernel(struct device *device, const char *file, const char *name,
                                const char *options)
{
    const struct kernel *same_text = NULL; // the kernel with which this text was built
    struct kernel *kernel;
    for (kernel = device->kernels; kernel; kernel = kernel->next) {
        if (strcmp(kernel->file, file) != 0 || strcmp(kernel->options, options) != 0)
            continue;
        if (strcmp(kernel->name, name) == 0) // one that cannot be used is not tried again
            return kernel;
        same_text = kernel->program && !kernel->log ? kernel : same_text; // no log: it compiles
    }
    kernel = malloc(sizeof *kernel);
    if (!kernel)
        fail("the host has no memory left for %s", file);
    *kernel = (struct kernel) { .file = file, .name = name, .next = device->kernels };
    snprintf(kernel->options, sizeof kernel->options, "%s", options);
    device->kernels = kernel;
    bool is_built = same_text != NULL;
    if (!same_text) {
        const struct folders folders = open_folders(device, file);
        kernel->own_folder = folders.own;
        is_built = build(device, kernel, folders);
        close(folders.own);
        close(folders.kernels);
    }
    const bool is_reduce = strcmp(name, "reduce") == 0, // otherwise a kernel of the harness itself
        is_created =
            is_built && create(kernel, same_text ? same_text->program : kernel->program, device);
    if (is_created && (!is_reduce || check_arguments(kernel)))
        return kernel;
    if (!is_reduce) {
        print_build_log(kernel);
        fail("%s: %s", file, kernel->why);
    }
    if (kernel->kernel)
        CL(clReleaseKernel(kernel->kernel));
    kernel->kernel = NULL;
    return kernel;
}

/* ---- a launch */
void launch_kernel(cl_command_queue queue, const struct kernel *kernel, uint64_t items,
                   size_t group_size, cl_event *event)
{
    const size_t local = group_size < kernel->largest_group ? group_size : kernel->largest_group,
                 global = (items + local - 1) / local * local;
    CL(clEnqueueNDRangeKernel(queue, kernel->kernel, 1, NULL, &global, &local, 0, NULL, event));
}
