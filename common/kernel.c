/*   get_kernel     has this file been built with these options?
 *     read_text      no: is it a text? Which folders do its includes come from?
 *     compile        the compiler reads it
 *     read_log       shows the log
 *     create         the kernel of this name, and what the plan must know about it
 *
 * A build costs a tenth of a second and more, so every program is kept. */
#define _GNU_SOURCE // strcasestr, asprintf, O_PATH
#include "kernel.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_BYTES = 4096,
    LEAST_FOLDER = 100 // the descriptor of a folder; no other file of the program has such a number
};
#define FOLDER "/proc/self/fd/" // and its descriptor

/* ---- the text */
const char *path_beside_program(const char *name)
{
    static char path[PATH_BYTES + 40];
    char program[PATH_BYTES] = "";
    (void)!readlink("/proc/self/exe", program, PATH_BYTES - 1);
    snprintf(path, sizeof path, "%s/%s", dirname(program), name);
    return path;
}

/* Oclgrind mixes what a kernel prints with its own counts, which the exercises read. For a run
 * without Oclgrind, hide_output_of_kernels() is enough. */
static const char no_printf[] = "int printf(constant const char *format, ...) { return 0; }\n";

/* Returns the text of a kernel's file, which the caller frees; and the folders in which the
 * compiler looks for included files: that of the kernel's file, then kernels/. They are open, so
 * that the compiler can know them by short names without blanks, which pocl 3.1 and NVIDIA's
 * compiler need, and by the same names in each run, which finds the program in pocl's cache. */
static char *read_text(const char *file, int folders[2])
{
    const bool is_path = *file == '/' || *file == '.';
    const char *variable = getenv("REDUCE_KERNELS"),
               *kernels = variable && *variable ? variable : path_beside_program("kernels");
    char path[2 * PATH_BYTES];
    struct stat about;
    if (snprintf(path, sizeof path, "%s%s%s", is_path ? "" : kernels, is_path ? "" : "/", file) >=
        (int)sizeof path)
        fail("REDUCE_KERNELS: no folder has a path of %zu characters", strlen(kernels));
    // A pipe might never end.
    FILE *from = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "r") : NULL;
    const char *name = strrchr(path, '/') + 1, *paths[] = { dirname(path), kernels };
    if (!from)
        fail("no kernel file '%s' in %s, or it is not an ordinary file: is REDUCE_KERNELS or "
             "--kernel right?",
             name, paths[0]);
    for (int i = 0; i < 2; i++) {
        const int folder = open(paths[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        folders[i] = folder < 0 ? -1 : fcntl(folder, F_DUPFD_CLOEXEC, LEAST_FOLDER);
        if (folders[i] < 0)
            fail("%s: %s, so the compiler finds no included file there: is REDUCE_KERNELS right?",
                 paths[i], strerror(errno));
        close(folder);
    }
    char *text = calloc(1, (size_t)about.st_size + 1);
    if (!text)
        fail("the host has no memory left for the text of %s", file);
    const size_t bytes = fread(text, 1, (size_t)about.st_size, from);
    fclose(from);
    unsigned line = 1;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        line++;
    if (strlen(text) < bytes)
        fail("%s: line %u has a byte 0: is this a text file?", file, line);
    return text;
}

/* Returns the time at which a file of these folders was changed, replaced or removed last. */
static int64_t find_last_change(char *const *folders)
{
    FTS *walk = fts_open(folders, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    int64_t newest = 0;
    for (FTSENT *entry; walk && (entry = fts_read(walk));) {
        const struct timespec *changed = &entry->fts_statp->st_ctim;
        const int64_t time = changed->tv_sec * INT64_C(1000000000) + changed->tv_nsec;
        if (entry->fts_info == FTS_D && entry->fts_level > 1) // a home may have deep trees
            fts_set(walk, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_D || entry->fts_info == FTS_F)
            newest = time > newest ? time : newest;
    }
    if (walk)
        fts_close(walk);
    return newest;
}

/* ---- the program */

static const char no_size_t[] =
    "size_t is not allowed for a kernel's argument in OpenCL C: write ulong";

/* Does `reduce` take an argument of type size_t? The compiler's message does not name the right
 * type. */
static bool takes_size_t(const char *text)
{
    const char *name = strstr(text, " reduce("), *end = name ? strchr(name, ')') : NULL,
               *type = end ? strstr(name, "size_t") : NULL;
    return type && type < end;
}

/* Returns why a kernel does not compile, if its text or its log shows more than the log says;
 * otherwise NULL. The compilers quote the names that they do not know. */
static const char *explain_log(const char *text, const char *log)
{
    static const char cuda[] =
        "this is CUDA: __global__ is kernel, __shared__ is local, threadIdx.x is get_local_id(0), "
        "blockIdx.x is get_group_id(0), blockDim.x is get_local_size(0), gridDim.x is "
        "get_num_groups(0), __syncthreads() is barrier(CLK_LOCAL_MEM_FENCE), atomicAdd() is "
        "atomic_add(); pointers to the arguments are global";
    static const char no_sub_groups[] =
        "no sub-groups on this device, or not in this version of OpenCL C: write lanes() for "
        "get_sub_group_size(), and lane() for get_sub_group_local_id(), both from subgroup.clh";
    static const char no_vectors[] = "include vectors.clh, which defines `values`";
    static const struct unknown_name {
        const char *quoted, *why;
    } unknown_names[] = {
        { "'__global__'", cuda },
        { "__global__ void", cuda }, // a line that the log shows
        { "'__device__'", cuda },
        { "'__shared__'", cuda },
        { "'__syncthreads'", cuda },
        { "'threadIdx'", cuda },
        { "'blockIdx'", cuda },
        { "'blockDim'", cuda },
        { "'gridDim'", cuda },
        { "'atomicAdd'", cuda },
        { "'cuda_runtime.h'", cuda },
        { "'get_sub_group_size'", no_sub_groups },
        { "'get_sub_group_local_id'", no_sub_groups },
        { "unknown type name 'values'", no_vectors },
        { "undeclared identifier 'values'", no_vectors },
        { "unknown type name 'value'", "include operator.clh, which defines `value`" },
        { "unknown type name 'input'", "include operator.clh, which defines `input`" },
    };
    for (size_t i = 0; i < sizeof unknown_names / sizeof *unknown_names; i++)
        if (strstr(log, unknown_names[i].quoted))
            return unknown_names[i].why;
    if (takes_size_t(text))
        return no_size_t;
    if (!strcasestr(log, "error"))
        return "the log names no error: is the disk full (HOME, POCL_CACHE_DIR) or read-only, or "
               "is a tool such as ld missing? ./step00 tests the former";
    return NULL;
}

const char *volatile file_being_compiled;

/* LLVM, with which pocl and others compile, ends the whole program with status 1 if it cannot write
 * its files. That must not look like a mistake in a learner's kernel. */
static void report_end_of_compiler(int status, void *unused)
{
    (void)unused;
    if (status != STATUS_WRONG || !file_being_compiled)
        return;
    fprintf(stderr,
            "%s: the compiler of the OpenCL runtime ended the program while it compiled %s: is the "
            "disk full (HOME, POCL_CACHE_DIR)? ./step00 tests that\n",
            program_name, file_being_compiled);
    _exit(STATUS_SETUP);
}

/* Makes kernel->program. The compiler reads the kernel's file itself, because it would look for the
 * files that a text includes in the working folder first. Returns clBuildProgram()'s status. */
static cl_int compile(const struct device *device, struct kernel *kernel, const int folders[2])
{
    static bool reports_end = false;
    const bool is_own = *kernel->file == '.' || *kernel->file == '/'; // of a learner
    const bool hides_printf = device->is_simulated && getenv("REDUCE_NO_PRINTF");
    const char *slash = strrchr(kernel->file, '/'), *name = slash ? slash + 1 : kernel->file;
    char own[40], kernels[40], *file = NULL, *options = NULL, *source = NULL;
    cl_int status;
    reports_end = reports_end || (is_own && on_exit(report_end_of_compiler, NULL) == 0);
    snprintf(own, sizeof own, FOLDER "%d", folders[0]);
    snprintf(kernels, sizeof kernels, FOLDER "%d", folders[1]);
    // NVIDIA's cache of programs does not notice that an included file has changed.
    if (asprintf(&file, "%s/%s", own, name) < 0 ||
        asprintf(&options, "%s -I %s -I %s", kernel->options, own, kernels) < 0 ||
        asprintf(&source, "// %" PRId64 "\n%s#include \"%s\"\n",
                 device->nvidia ? find_last_change((char *[]) { file, own, kernels, NULL }) : 0,
                 hides_printf ? no_printf : "", file) < 0)
        fail("the host has no memory left to compile %s", kernel->file);
    const char *text = source;
    kernel->program = clCreateProgramWithSource(device->context, 1, &text, NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clCreateProgramWithSource");
    file_being_compiled = kernel->file;
    status = clBuildProgram(kernel->program, 1, &device->id, options, NULL, NULL);
    file_being_compiled = NULL;
    free(file), free(options), free(source);
    if (status != CL_SUCCESS && status != CL_BUILD_PROGRAM_FAILURE)
        fail_in_opencl(status, "clBuildProgram");
    return status;
}

/* Shows the build log. Returns NULL if the kernel does not compile and on_failure allows that. */
static cl_program read_log(const struct device *device, const struct kernel *kernel, cl_int status,
                           const char *text, enum build_failure on_failure)
{
    const bool is_reduce = strcmp(kernel->name, "reduce") == 0;
    // The whole log, however long it is: the line that matters is often the last.
    size_t bytes = 0;
    CL(clGetProgramBuildInfo(kernel->program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes));
    char *log = calloc(1, bytes + 1);
    if (!log)
        fail("the host has no memory left for the build log of %s", kernel->file);
    CL(clGetProgramBuildInfo(kernel->program, device->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL));
    for (char *at = log, *end; (at = strstr(at, FOLDER));) { // a file's name is enough
        (void)strtol(at + strlen(FOLDER), &end, 10);
        end += *end == '/';
        memmove(at, end, strlen(end) + 1);
    }
    const char *why = status == CL_SUCCESS ? NULL : explain_log(text, log);
    if (on_failure == BUILD_FAILURE_SHOWS_LOG && why) // first, because exercise.py shows few lines
        fprintf(stderr, "%s: %s: %s\n", program_name, kernel->file, why);
    if (on_failure != BUILD_FAILURE_IS_SILENT && (status != CL_SUCCESS || strstr(log, "warning")))
        fprintf(stderr, "%s: build log of %s:\n%s\n", program_name, kernel->file, log);
    free(log);

    if (status == CL_SUCCESS)
        return kernel->program;
    if (on_failure == BUILD_FAILURE_ENDS || !is_reduce) // the other kernels are the harness's own
        fail("%s does not compile (options: %s): %s", kernel->file, kernel->options,
             why ? why : "see the log above");
    return NULL;
}

/* ---- the kernel */

/* Reports why a kernel that compiles cannot be used. The caller treats it as one that does not
 * compile. Returns false. */
static bool refuse(const struct kernel *kernel, enum build_failure on_failure, const char *why, ...)
    __attribute__((format(printf, 3, 4)));

static bool refuse(const struct kernel *kernel, enum build_failure on_failure, const char *why, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(text, sizeof text, why, arguments);
    va_end(arguments);
    if (on_failure == BUILD_FAILURE_ENDS)
        fail("%s: %s", kernel->file, text);
    if (on_failure == BUILD_FAILURE_SHOWS_LOG)
        fprintf(stderr, "%s: %s: %s\n", program_name, kernel->file, text);
    return false;
}

/* The bytes of a scalar type of OpenCL C, or 0 if it is none of these, such as a typedef. */
static size_t size_of_type(const char *type)
{
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = { { "char", 1 },  { "short", 2 }, { "half", 2 },  { "int", 4 },
                  { "float", 4 }, { "long", 8 },  { "double", 8 } };
    const char *without_sign = type + (type[0] == 'u');
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(without_sign, types[i].name) == 0)
            return types[i].bytes;
    return 0;
}

static bool is_floating(const char *type)
{
    return strcmp(type, "float") == 0 || strcmp(type, "double") == 0 || strcmp(type, "half") == 0;
}

/* Writes the name of the type to which a pointer among the arguments points. The name is empty if
 * the device does not tell it. */
static void name_target(const struct kernel *kernel, cl_uint argument, char name[64])
{
    name[0] = '\0';
    (void)clGetKernelArgInfo(kernel->kernel, argument, CL_KERNEL_ARG_TYPE_NAME, 64, name, NULL);
    name[strcspn(name, " *")] = '\0'; // "float*" is shown as float
}

bool takes_type(const struct kernel *kernel, const struct operation *operation,
                enum build_failure on_failure)
{
    static const char *const names[] = { "in", "n", "out", "scratch" };
    const char *type = operation->type;
    char given[64];
    name_target(kernel, 0, given);
    const size_t read = size_of_type(given);
    if (read && (read != operation->element_bytes || is_floating(given) != operation->is_floating))
        return refuse(kernel, on_failure, "the kernel reads %s, but the elements are %s: %s%s",
                      given, type, read < 4 ? "write " : "try --type ", read < 4 ? type : given);
    for (cl_uint i = 2; i < kernel->argument_count; i++) {
        name_target(kernel, i, given);
        const size_t bytes = size_of_type(given), length = strlen(type);
        if (operation->element_bytes == operation->value_bytes &&
            strncmp(given, type, length) == 0 && isdigit(given[length]) &&
            !strpbrk(given, "_")) // int4, not int32_t
            return refuse(kernel, on_failure,
                          "the kernel takes %s *%s, but %s[] has room for single values, and in[] "
                          "holds single elements: vload4(i, in) loads a vector",
                          given, names[i], names[i]);
        if (bytes && bytes != operation->value_bytes)
            return refuse(kernel, on_failure,
                          "the kernel takes %s *%s, but %s[] has room for values of %zu bytes, not "
                          "of %zu: write value *%s",
                          given, names[i], names[i], operation->value_bytes, bytes, names[i]);
    }
    return true;
}

#define RIGHT_ARGUMENTS                                                                            \
    "(global const input *in, ulong n, global value *out) and may take a fourth argument, local "  \
    "value *scratch"

/* Creates the kernel, and reads what the plan must know about it. Fails if reduce() has other
 * arguments than (in, n, out) or (in, n, out, scratch): they would receive the wrong values, and
 * some runtimes crash on that. n must have eight bytes. What the device does not tell about its
 * arguments is not checked. False: the device or this operation cannot use the kernel. */
static bool create(struct kernel *kernel, cl_program program, const struct device *device,
                   enum build_failure on_failure)
{
    static const cl_uint spaces[] = { CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_PRIVATE,
                                      CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL };
    const cl_ulong n = 0;
    char type_of_n[64] = "";
    size_t required[3] = { 0 };
    cl_ulong private_bytes = 0; // of a work-item
    cl_int status;
    kernel->kernel = clCreateKernel(program, kernel->name, &status);
    if (status == CL_INVALID_KERNEL_NAME)
        fail("%s has no kernel named '%s', which is what is launched", kernel->file, kernel->name);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clCreateKernel");
    CL(clGetKernelInfo(kernel->kernel, CL_KERNEL_NUM_ARGS, sizeof kernel->argument_count,
                       &kernel->argument_count, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                sizeof kernel->group_limit, &kernel->group_limit, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                sizeof required, required, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_LOCAL_MEM_SIZE,
                                sizeof kernel->local_bytes, &kernel->local_bytes, NULL));
    CL(clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_PRIVATE_MEM_SIZE,
                                sizeof private_bytes, &private_bytes, NULL));
    kernel->required_group_size = required[0];
    if (strcmp(kernel->name, "reduce") != 0)
        return true;

    const bool is_count_right = kernel->argument_count == 3 || kernel->argument_count == 4;
    cl_uint fitting = 0; // arguments, from the first one on
    while (is_count_right && fitting < kernel->argument_count) {
        cl_uint space = spaces[fitting];
        (void)clGetKernelArgInfo(kernel->kernel, fitting, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                 sizeof space, &space, NULL);
        if (space != spaces[fitting])
            break;
        fitting++;
    }
    (void)clGetKernelArgInfo(kernel->kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof type_of_n,
                             type_of_n, NULL);
    if (strcmp(type_of_n, "size_t") == 0) // a runtime that compiles it nevertheless
        fail("%s: %s", kernel->file, no_size_t);
    if (!is_count_right)
        fail("%s: reduce has %u arguments, but must take " RIGHT_ARGUMENTS, kernel->file,
             kernel->argument_count);
    status = fitting == 1 ? CL_INVALID_ARG_SIZE : clSetKernelArg(kernel->kernel, 1, sizeof n, &n);
    fitting = status == CL_INVALID_ARG_SIZE && fitting > 1 ? 1 : fitting;
    if (fitting < kernel->argument_count)
        fail("%s: argument %u of reduce is wrong: reduce must take " RIGHT_ARGUMENTS, kernel->file,
             fitting + 1);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clSetKernelArg");
    if (required[1] > 1 || required[2] > 1)
        return refuse(
            kernel, on_failure,
            "the kernel requires groups of %zu x %zu x %zu (reqd_work_group_size), but the "
            "launches here have one dimension",
            required[0], required[1], required[2]);
    if (kernel->local_bytes > device->local_bytes)
        return refuse(kernel, on_failure,
                      "the kernel declares %" PRIu64 " bytes of local memory, but a group has only "
                      "%" PRIu64 " on this device",
                      (uint64_t)kernel->local_bytes, (uint64_t)device->local_bytes);
    if (kernel->group_limit == 1 && device->group_limit > 1 && private_bytes >= 1 << 20)
        return refuse(kernel, on_failure,
                      "the runtime counts %" PRIu64 " bytes of private arrays in the kernel, "
                      "so this device can run one work-item in a group only: does such an array "
                      "belong in global memory?",
                      (uint64_t)private_bytes);
    return true;
}

const struct kernel *get_kernel(struct device *device, const char *file, const char *name,
                                const char *options, enum build_failure on_failure)
{
    struct kernel *kernel;
    cl_program program = NULL;
    for (kernel = device->kernels; kernel; kernel = kernel->next) {
        if (strcmp(kernel->file, file) != 0 || strcmp(kernel->options, options) != 0)
            continue;
        if (strcmp(kernel->name, name) == 0) // a build that failed is not tried again
            return kernel->kernel ? kernel : NULL;
        program = kernel->program ? kernel->program : program;
    }
    kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        fail("the host has no memory left for %s", file);
    *kernel = (struct kernel) { .file = file, .name = name, .next = device->kernels };
    snprintf(kernel->options, sizeof kernel->options, "%s", options);
    device->kernels = kernel;
    if (!program) {
        int folders[2];
        char *text = read_text(file, folders);
        const cl_int status = compile(device, kernel, folders);
        close(folders[0]), close(folders[1]);
        program = read_log(device, kernel, status, text, on_failure);
        free(text);
    }
    if (!program)
        return NULL;
    if (create(kernel, program, device, on_failure))
        return kernel;
    CL(clReleaseKernel(kernel->kernel));
    kernel->kernel = NULL; // it is not tried again
    return NULL;
}

/* ---- a launch */
void launch_kernel(cl_command_queue queue, const struct kernel *kernel, uint64_t items,
                   size_t group_size, cl_event *event)
{
    const size_t local = group_size < kernel->group_limit ? group_size : kernel->group_limit,
                 global = (items + local - 1) / local * local;
    CL(clEnqueueNDRangeKernel(queue, kernel->kernel, 1, NULL, &global, &local, 0, NULL, event));
}
