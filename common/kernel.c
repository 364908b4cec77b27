/*   get_kernel     has this file been built with these options?
 *     read_text      no: read it, with the files that it includes
 *     build          compile it, show the log
 *     create         the kernel of this name, and what the plan must know about it
 *
 * A build costs a tenth of a second and more, so every program is kept. */
#define _GNU_SOURCE // strcasestr
#include "kernel.h"

#include <ctype.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, INCLUDE_DEPTH_MAX = 8, INCLUDES_MAX = 1000, NEEDS_PREPROCESSOR = -1 };

/* ---- the text */
const char *path_beside_program(const char *name)
{
    static char path[PATH_BYTES + 40];
    char program[PATH_BYTES] = "";
    (void)!readlink("/proc/self/exe", program, PATH_BYTES - 1);
    snprintf(path, sizeof path, "%s/%s", dirname(program), name);
    return path;
}

/* Replaces the comments of a line by blanks, as a compiler does. `in_comment` is true if the
 * previous line has left a comment open. Then finds the file that the line includes: "atomics.clh";
 * or, as in operator.clh, FILE_IN(operators, OPERATOR), which is "operators/min.clh" if the options
 * say so (the defaults are those of operator.clh). Returns the length up to the end of the
 * directive, or 0 if there is none. A compiler also accepts an #include that names its file by
 * another macro, continues in the next line, or begins with %: instead of #. Returns
 * NEEDS_PREPROCESSOR if one may begin in this line. */
static int find_included_file(char *line, bool *in_comment, const char *options, char included[256])
{
    char folder[64], word[64], option[80], quote = '\0'; // around a string
    int length = 0;
    for (char *at = line; *at; at++) {
        if (*in_comment) {
            if (*at == '*' && at[1] == '/') {
                *at++ = ' ';
                *in_comment = false;
            }
            *at = ' ';
        } else if (quote) {
            if (*at == '\\' && at[1])
                at++;
            else if (*at == quote)
                quote = '\0';
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '/' && at[1] == '*') {
            *at++ = ' ';
            *at = ' ';
            *in_comment = true;
        } else if (*at == '/' && at[1] == '/') {
            *at = '\0';
            break;
        }
    }
    if (sscanf(line, " # include \"%255[^\"]\"%n", included, &length) == 1 && length > 0)
        return length;
    if (sscanf(line, " # include <%255[^>]>%n", included, &length) == 1 && length > 0)
        return length;
    if (sscanf(line, " # include FILE_IN(%63[^,], %63[^)])%n", folder, word, &length) != 2) {
        const char *name = line + strspn(line, " \t");
        if (*name != '#' && strncmp(name, "%:", 2) != 0)
            return 0;
        name += *name == '#' ? 1 : 2;
        name += strspn(name, " \t");
        const bool is_continued = name[strcspn(name, " \t\\")] == '\\';
        return is_continued || strncmp(name, "include", 7) == 0 ? NEEDS_PREPROCESSOR : 0;
    }
    snprintf(option, sizeof option, "-D %s=", word);
    const char *given = strstr(options, option),
               *usual = strcmp(word, "ELEMENT") == 0 ? "int" : "sum",
               *name = given ? given + strlen(option) : usual;
    snprintf(included, 256, "%s/%.*s.clh", folder, (int)strcspn(name, " "), name);
    return length;
}

struct copy { // of a kernel's file, with the files that it includes
    FILE *to;
    // Included files are looked for in the kernel's folder, which may replace any of them; then
    // beside the file that includes them; then in kernels/.
    const char *own_folder, *kernels;
    const char *options;
    const char *shown_name; // of the kernel's file
    int includes;
    bool hides_printf;
    bool leaves_includes; // to the compiler
    bool needs_preprocessor;
};

/* Oclgrind mixes what a kernel prints with its own counts, which the exercises read. For a run
 * without Oclgrind, hide_output_of_kernels() is enough. */
static const char no_printf[] = "\n#define printf(...) no_output()\n";

/* Copies a file line by line, but replaces an #include by the text of its file. An #include whose
 * file does not exist stays: the compiler then names its line. So do all of them if
 * copy->leaves_includes. Conditions (#if) are not evaluated.
 * So a file guards itself against being included twice, as in C, by #if or #pragma once; and
 * INCLUDE_DEPTH_MAX ends the copying.
 *
 * False: there is no such file, or it is not an ordinary one. (A pipe might never end.) */
static bool copy_file(struct copy *copy, const char *folder, const char *name,
                      const char *shown_name, int depth)
{
    const char *const folders[] = { copy->own_folder, folder, copy->kernels };
    char path[2 * PATH_BYTES], including[2 * PATH_BYTES], *line = NULL, included[256];
    struct stat about;
    size_t size = 0;
    ssize_t bytes;
    bool in_comment = false, is_once = false;
    FILE *from = NULL;
    // --kernel must not find another file of that name in kernels/.
    for (int i = 0; i < (depth == 0 ? 1 : 3) && !from; i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], name);
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
            from = fopen(path, "r");
    }
    if (!from)
        return false;
    if (copy->includes++ == INCLUDES_MAX)
        fail("%s includes %d files: does a file include itself?", copy->shown_name, INCLUDES_MAX);
    snprintf(including, sizeof including, "%s", path);
    dirname(including);
    fprintf(copy->to, "\n#line 1 \"%s\"\n", shown_name);
    for (unsigned number = 1; (bytes = getline(&line, &size, from)) > 0; number++) {
        static const char byte_order_mark[] = "\xEF\xBB\xBF"; // that some editors write
        const bool has_mark = number == 1 && strncmp(line, byte_order_mark, 3) == 0;
        const char *text = line + (has_mark ? 3 : 0);
        char *code = strdup(text);
        if (!code)
            fail("the host has no memory left for the text of %s", shown_name);
        if (strlen(line) != (size_t)bytes)
            fail("%s: line %u has a byte 0: is this a text file?", shown_name, number);
        int length = find_included_file(code, &in_comment, copy->options, included);
        copy->needs_preprocessor |= length == NEEDS_PREPROCESSOR;
        length = copy->leaves_includes ? 0 : length;
        if (length > 0 && depth == INCLUDE_DEPTH_MAX) { // an error, unless the compiler skips it
            fprintf(copy->to,
                    "#error \"%s\": includes are nested %d deep: does a file include itself?\n",
                    included, INCLUDE_DEPTH_MAX);
            text = "";
        } else if (length > 0) {
            const int start = (int)strcspn(code, "#"); // a comment may end before the directive
            fprintf(copy->to, "%.*s", start, text);
            if (copy_file(copy, including, included, included, depth + 1)) {
                fprintf(copy->to, "\n#line %u \"%s\"\n", number, shown_name);
                text += length;
            } else {
                text += start;
            }
        }
        int end = 0;
        if (copy->hides_printf && sscanf(code, " # undef %6[printf]", included) == 1)
            fprintf(copy->to, "#undef printf%s#line %u \"%s\"\n", no_printf, number, shown_name);
        (void)sscanf(code, " # pragma once%n", &end);
        if (end > 0) { // the compiler itself decides, because it may skip this part
            const uintmax_t file = about.st_ino;
            fprintf(copy->to,
                    "#if !defined ONCE_%" PRIuMAX "\n#define ONCE_%" PRIuMAX "\n#line %u \"%s\"\n",
                    file, file, number, shown_name);
            is_once = true;
            text = "\n";
        }
        fputs(text, copy->to);
        // A skipped #include skips its #line, too. So #line is repeated after #else and #endif.
        if (sscanf(code, " # %1[e]", included) == 1)
            fprintf(copy->to, "#line %u \"%s\"\n", number + 1, shown_name);
        free(code);
    }
    if (is_once)
        fputs("\n#endif\n", copy->to);
    free(line);
    fclose(from);
    return true;
}

enum { SEARCH_BYTES = 2 * PATH_BYTES + 20 }; // -I "a folder" -I "another"

/* Returns the text of a file, which the caller frees. If an #include needs a preprocessor, all
 * includes stay in the text, because #pragma once holds only among the files that the compiler
 * reads itself; `search` then becomes the options that name the folders. Otherwise it becomes "".
 */
static char *read_text(const char *file, const char *options, bool is_simulated,
                       char search[SEARCH_BYTES])
{
    char *text = NULL, path[2 * PATH_BYTES], folder[2 * PATH_BYTES];
    char own[PATH_BYTES] = "", other[PATH_BYTES] = "";
    size_t length;
    const bool is_path = *file == '/' || *file == '.';
    const char *variable = getenv("REDUCE_KERNELS"),
               *kernels = variable && *variable ? variable : path_beside_program("kernels");
    if (snprintf(path, sizeof path, "%s%s%s", is_path ? "" : kernels, is_path ? "" : "/", file) >=
        (int)sizeof path)
        fail("REDUCE_KERNELS: no folder has a path of %zu characters", strlen(kernels));
    snprintf(folder, sizeof folder, "%s", path);
    struct copy copy = { .own_folder = dirname(folder),
                         .kernels = kernels,
                         .options = options,
                         .shown_name = strncmp(file, "./", 2) == 0 ? file + 2 : file,
                         .hides_printf = is_simulated && getenv("REDUCE_NO_PRINTF") };
    const char *name = strrchr(path, '/') + 1;
    do {
        free(text);
        copy.leaves_includes = copy.needs_preprocessor;
        copy.includes = 0;
        copy.to = open_memstream(&text, &length);
        if (copy.to && copy.hides_printf)
            fprintf(copy.to, "static inline int no_output(void) { return 0; }%s", no_printf);
        if (copy.to && !copy_file(&copy, copy.own_folder, name, copy.shown_name, 0))
            fail("no kernel file '%s' in %s, or it is not an ordinary file: is REDUCE_KERNELS or "
                 "--kernel right?",
                 name, copy.own_folder);
        if (!copy.to || fclose(copy.to) != 0)
            fail("the host has no memory left for the text of %s", file);
    } while (copy.needs_preprocessor && !copy.leaves_includes);
    *search = '\0';
    if (!copy.leaves_includes || !realpath(copy.own_folder, own) || !realpath(kernels, other))
        return text;
    // NVIDIA's compiler accepts no relative path, and pocl 3.1 no quotes, so no blank in a path.
    const char *quote = strchr(own, ' ') || strchr(other, ' ') ? "\"" : "";
    snprintf(search, SEARCH_BYTES, " -I %s%s%s -I %s%s%s", quote, own, quote, quote, other, quote);
    return text;
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

static const char named_by_macro[] =
    "write each #include in one line, with the name of its file instead of a macro (pocl 3.1 also "
    "accepts other forms, if no blank is in the names of the folders of the kernel and of "
    "kernels/)";

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

/* Returns NULL if the kernel does not compile and on_failure allows that. */
static cl_program build(const struct device *device, struct kernel *kernel, const char *text,
                        const char *search, enum build_failure on_failure)
{
    static char options[SEARCH_BYTES + sizeof kernel->options];
    const bool is_reduce = strcmp(kernel->name, "reduce") == 0;
    static bool reports_end = false;
    cl_int status;
    const bool is_own = *kernel->file == '.' || *kernel->file == '/'; // of a learner
    reports_end = reports_end || (is_own && on_exit(report_end_of_compiler, NULL) == 0);
    snprintf(options, sizeof options, "%s%s", kernel->options, search);
    kernel->program = clCreateProgramWithSource(device->context, 1, &text, NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clCreateProgramWithSource");
    file_being_compiled = kernel->file;
    status = clBuildProgram(kernel->program, 1, &device->id, options, NULL, NULL);
    file_being_compiled = NULL;
    if (status != CL_SUCCESS && status != CL_BUILD_PROGRAM_FAILURE)
        fail_in_opencl(status, "clBuildProgram");

    // The whole log, however long it is: the line that matters is often the last.
    size_t bytes = 0;
    CL(clGetProgramBuildInfo(kernel->program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes));
    char *log = calloc(1, bytes + 1);
    if (!log)
        fail("the host has no memory left for the build log of %s", kernel->file);
    CL(clGetProgramBuildInfo(kernel->program, device->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL));
    const char *why = status == CL_SUCCESS                           ? NULL
                      : *search && strcasestr(log, "file not found") ? named_by_macro
                                                                     : explain_log(text, log);
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
        static char search[SEARCH_BYTES];
        char *text = read_text(file, options, device->is_simulated, search);
        program = build(device, kernel, text, search, on_failure);
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
