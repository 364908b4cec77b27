/* Makes one call of a program fail. As an OpenCL layer (OPENCL_LAYERS=shim.so) it counts and
 * numbers the program's own OpenCL calls. Preloaded (LD_PRELOAD) it also counts the program's
 * allocations, and can make them, and writing to files, fail.
 *
 *   SHIM_LOG=file        one line for each call: its name, the constant or index that it asks for,
 *                        and its call path through the program (a number); at the end
 *                        "made N released M"
 *
 *   SHIM_CALL=n          call number n is not made, and returns SHIM_STATUS
 *                        (-5: CL_OUT_OF_RESOURCES); with SHIM_MADE=1 it is made
 *
 *   SHIM_CLOCK=kind      times of events: zero, equal, reversed, absurd, early, tiny;
 *                        SHIM_FROM=n: from event number n on
 *
 *   SHIM_MALLOC=n        allocation number n returns NULL; 0: all allocations are counted
 *   SHIM_INTERRUPT=n     SIGINT at call number n
 *   SHIM_FULL=1          the disk is full for files named *.part
 *   SHIM_GPU=1           every device reports that it is a GPU
 *   SHIM_C=version       every device reports this version of OpenCL C
 *   SHIM_LANES=n         every sub-group has n lanes
 *   SHIM_GROUP=n         every kernel runs in groups of at most n work-items
 */
#define _GNU_SOURCE
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cl_icd_dispatch *next;
static cl_icd_dispatch mine;
static FILE *log_file;
static long calls, events, made, released, allocations;

static long read_setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

static void write_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void write_log(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (log_file)
        vfprintf(log_file, format, arguments);
    va_end(arguments);
}

static uintptr_t program_from, program_to; // addresses of its code

static bool from_program(const void *caller)
{
    return (uintptr_t)caller >= program_from && (uintptr_t)caller < program_to;
}

/* The call path, as a number: which function of the program makes the call, and which function of
 * the program called that one. */
static uint64_t find_call_path(void)
{
    void *frames[16];
    int count = backtrace(frames, 16), found = 0;
    uint64_t path = 0;
    for (int i = 0; i < count && found < 2; i++) {
        if (from_program(frames[i])) {
            path = path << 32 | ((uintptr_t)frames[i] - program_from);
            found++;
        }
    }
    return path;
}

/* Counts the call. If this returns another status than CL_SUCCESS, the wrapper must not make the
 * call, and must return this status. */
static cl_int count_call(const char *name, unsigned asked)
{
    bool is_chosen = ++calls == read_setting("SHIM_CALL", 0);
    if (log_file)
        write_log("%s %#x %llx\n", name, asked, (unsigned long long)find_call_path());
    if (calls == read_setting("SHIM_INTERRUPT", 0))
        raise(SIGINT);
    return is_chosen ? (cl_int)read_setting("SHIM_STATUS", CL_OUT_OF_RESOURCES) : CL_SUCCESS;
}

/* Wrappers of three kinds of calls: those that return a status, return a new object, or release an
 * object. `asked` distinguishes calls of the same function. */
#define STATUS(name, asked, parameters, arguments)                                                 \
    static cl_int CL_API_CALL my_##name parameters                                                 \
    {                                                                                              \
        cl_int error = count_call(#name, asked);                                                   \
        if (error && !read_setting("SHIM_MADE", 0))                                                \
            return error;                                                                          \
        cl_int status = next->name arguments;                                                      \
        return error ? error : status;                                                             \
    }
#define MAKE(type, name, parameters, arguments)                                                    \
    static type CL_API_CALL my_##name parameters                                                   \
    {                                                                                              \
        cl_int error = count_call(#name, 0);                                                       \
        if (error)                                                                                 \
            return *status = error, NULL;                                                          \
        type object = next->name arguments;                                                        \
        made += object != NULL;                                                                    \
        return object;                                                                             \
    }
#define RELEASE(name, type)                                                                        \
    static cl_int CL_API_CALL my_##name(type object)                                               \
    {                                                                                              \
        cl_int error = count_call(#name, 0);                                                       \
        if (!error && (error = next->name(object)) == CL_SUCCESS)                                  \
            released++;                                                                            \
        return error;                                                                              \
    }
#define ENQUEUE(name, parameters, arguments) /* the event, if not NULL, is an object too   */      \
    static cl_int CL_API_CALL my_##name parameters                                                 \
    {                                                                                              \
        cl_int error = count_call(#name, 0);                                                       \
        if (!error && (error = next->name arguments) == CL_SUCCESS)                                \
            made += event != NULL;                                                                 \
        return error;                                                                              \
    }

STATUS(clGetPlatformIDs, 0, (cl_uint count, cl_platform_id *ids, cl_uint *found),
       (count, ids, found))
STATUS(clGetPlatformInfo, what,
       (cl_platform_id id, cl_platform_info what, size_t size, void *to, size_t *got),
       (id, what, size, to, got))
STATUS(clGetDeviceIDs, 0,
       (cl_platform_id id, cl_device_type type, cl_uint count, cl_device_id *ids, cl_uint *found),
       (id, type, count, ids, found))
STATUS(clBuildProgram, 0,
       (cl_program program, cl_uint count, const cl_device_id *ids, const char *options,
        void(CL_CALLBACK *done)(cl_program, void *), void *data),
       (program, count, ids, options, done, data))
STATUS(clGetProgramBuildInfo, what,
       (cl_program program, cl_device_id id, cl_program_build_info what, size_t size, void *to,
        size_t *got),
       (program, id, what, size, to, got))
STATUS(clGetProgramInfo, what,
       (cl_program program, cl_program_info what, size_t size, void *to, size_t *got),
       (program, what, size, to, got))
STATUS(clGetKernelInfo, what,
       (cl_kernel kernel, cl_kernel_info what, size_t size, void *to, size_t *got),
       (kernel, what, size, to, got))
STATUS(clGetKernelArgInfo, what,
       (cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, size_t size, void *to,
        size_t *got),
       (kernel, index, what, size, to, got))
STATUS(clSetKernelArg, index, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
       (kernel, index, size, value))
STATUS(clFinish, 0, (cl_command_queue queue), (queue))
STATUS(clFlush, 0, (cl_command_queue queue), (queue))
MAKE(cl_context, clCreateContext,
     (const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
      void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
      cl_int *status),
     (properties, count, ids, notify, data, status))
MAKE(cl_command_queue, clCreateCommandQueue,
     (cl_context context, cl_device_id id, cl_command_queue_properties properties, cl_int *status),
     (context, id, properties, status))
MAKE(cl_command_queue, clCreateCommandQueueWithProperties,
     (cl_context context, cl_device_id id, const cl_queue_properties *properties, cl_int *status),
     (context, id, properties, status))
MAKE(cl_mem, clCreateBuffer,
     (cl_context context, cl_mem_flags flags, size_t size, void *from, cl_int *status),
     (context, flags, size, from, status))
MAKE(cl_program, clCreateProgramWithSource,
     (cl_context context, cl_uint count, const char **texts, const size_t *lengths, cl_int *status),
     (context, count, texts, lengths, status))
MAKE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *status),
     (program, name, status))
RELEASE(clReleaseContext, cl_context)
RELEASE(clReleaseCommandQueue, cl_command_queue)
RELEASE(clReleaseMemObject, cl_mem)
RELEASE(clReleaseProgram, cl_program)
RELEASE(clReleaseKernel, cl_kernel)
RELEASE(clReleaseEvent, cl_event)
ENQUEUE(clEnqueueNDRangeKernel,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
         const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait,
         cl_event *event),
        (queue, kernel, dimensions, offset, global, local, waits, wait, event))
ENQUEUE(clEnqueueFillBuffer,
        (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
         size_t offset, size_t size, cl_uint waits, const cl_event *wait, cl_event *event),
        (queue, buffer, pattern, pattern_size, offset, size, waits, wait, event))
ENQUEUE(clEnqueueReadBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
         void *to, cl_uint waits, const cl_event *wait, cl_event *event),
        (queue, buffer, blocking, offset, size, to, waits, wait, event))
ENQUEUE(clEnqueueWriteBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
         const void *from, cl_uint waits, const cl_event *wait, cl_event *event),
        (queue, buffer, blocking, offset, size, from, waits, wait, event))
ENQUEUE(clEnqueueUnmapMemObject,
        (cl_command_queue queue, cl_mem buffer, void *mapped, cl_uint waits, const cl_event *wait,
         cl_event *event),
        (queue, buffer, mapped, waits, wait, event))

static void *CL_API_CALL my_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
                                               cl_bool blocking, cl_map_flags flags, size_t offset,
                                               size_t size, cl_uint waits, const cl_event *wait,
                                               cl_event *event, cl_int *status)
{
    cl_int error = count_call("clEnqueueMapBuffer", 0);
    if (error)
        return *status = error, NULL;
    return next->clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, waits, wait,
                                    event, status);
}

/* The clock of a bad driver. The program asks for the start of an event first, so a new event
 * begins with that question. */
static cl_int CL_API_CALL my_clGetEventProfilingInfo(cl_event event, cl_profiling_info what,
                                                     size_t size, void *to, size_t *got)
{
    const char *how = getenv("SHIM_CLOCK");
    cl_ulong start = 0, end = 0, *time = to;
    cl_int error = count_call("clGetEventProfilingInfo", what);
    if (!error)
        error = next->clGetEventProfilingInfo(event, what, size, to, got);
    events += what == CL_PROFILING_COMMAND_START;
    if (error || !how || events < read_setting("SHIM_FROM", 1))
        return error;
    (void)next->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start,
                                        NULL);
    (void)next->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    const struct {
        const char *how;
        cl_ulong start, end;
    } clocks[] = {
        { "zero", 0, 0 },           { "equal", start, start }, { "reversed", end, start },
        { "absurd", start, ~0ull }, { "early", 1, end },       { "tiny", start, start + 1 },
    };
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (strcmp(clocks[i].how, how) == 0)
            *time = what == CL_PROFILING_COMMAND_START ? clocks[i].start : clocks[i].end;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL my_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size,
                                             void *to, size_t *got)
{
    cl_int error = count_call("clGetDeviceInfo", what);
    if (!error)
        error = next->clGetDeviceInfo(id, what, size, to, got);
    if (!error && to && what == CL_DEVICE_TYPE && read_setting("SHIM_GPU", 0))
        *(cl_device_type *)to = CL_DEVICE_TYPE_GPU;
    if (!error && to && what == CL_DEVICE_OPENCL_C_VERSION && getenv("SHIM_C"))
        snprintf(to, size, "OpenCL C %s", getenv("SHIM_C"));
    return error;
}

static cl_int CL_API_CALL my_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id id,
                                                      cl_kernel_work_group_info what, size_t size,
                                                      void *to, size_t *got)
{
    cl_int error = count_call("clGetKernelWorkGroupInfo", what);
    if (!error)
        error = next->clGetKernelWorkGroupInfo(kernel, id, what, size, to, got);
    if (!error && to && what == CL_KERNEL_WORK_GROUP_SIZE && read_setting("SHIM_GROUP", 0))
        *(size_t *)to = read_setting("SHIM_GROUP", 0);
    return error;
}

static cl_int CL_API_CALL my_clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id id,
                                                     cl_kernel_sub_group_info what,
                                                     size_t from_size, const void *from,
                                                     size_t size, void *to, size_t *got)
{
    cl_int error = count_call("clGetKernelSubGroupInfo", what);
    if (!error)
        error = next->clGetKernelSubGroupInfo(kernel, id, what, from_size, from, size, to, got);
    if (!error && read_setting("SHIM_LANES", 0))
        *(size_t *)to = read_setting("SHIM_LANES", 0);
    return error;
}

static void write_totals(void)
{
    write_log("made %ld released %ld\nallocations %ld\n", made, released, allocations);
    if (log_file)
        fclose(log_file);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *to,
                                               size_t *got)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (what != CL_LAYER_API_VERSION || (to && size < sizeof version))
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, &version, sizeof version);
    if (got)
        *got = sizeof version;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target,
                                            cl_uint *entries_of_mine, const cl_icd_dispatch **layer)
{
    if (entries < sizeof mine / sizeof(void *))
        return CL_INVALID_VALUE;
    next = target;
    memcpy(&mine, target, sizeof mine);
#define TAKE(name) mine.name = my_##name
    TAKE(clGetPlatformIDs), TAKE(clGetPlatformInfo), TAKE(clGetDeviceIDs), TAKE(clGetDeviceInfo);
    TAKE(clBuildProgram), TAKE(clGetProgramBuildInfo), TAKE(clGetProgramInfo),
        TAKE(clGetKernelInfo), TAKE(clGetKernelArgInfo);
    TAKE(clGetKernelWorkGroupInfo), TAKE(clGetKernelSubGroupInfo), TAKE(clSetKernelArg),
        TAKE(clFinish), TAKE(clFlush);
    TAKE(clCreateContext), TAKE(clCreateCommandQueue), TAKE(clCreateCommandQueueWithProperties),
        TAKE(clCreateBuffer);
    TAKE(clCreateProgramWithSource), TAKE(clCreateKernel), TAKE(clReleaseContext),
        TAKE(clReleaseCommandQueue);
    TAKE(clReleaseMemObject), TAKE(clReleaseProgram), TAKE(clReleaseKernel), TAKE(clReleaseEvent);
    TAKE(clEnqueueNDRangeKernel), TAKE(clEnqueueFillBuffer), TAKE(clEnqueueReadBuffer),
        TAKE(clEnqueueWriteBuffer);
    TAKE(clEnqueueUnmapMemObject), TAKE(clEnqueueMapBuffer), TAKE(clGetEventProfilingInfo);
    *layer = &mine;
    *entries_of_mine = sizeof mine / sizeof(void *);
    if (getenv("SHIM_LOG"))
        log_file = fopen(getenv("SHIM_LOG"), "w");
    atexit(write_totals);
    return CL_SUCCESS;
}

/* ---- allocations of the program itself; allocations of libraries never fail */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

/* dl_iterate_phdr() calls this for the program first. The result 1 ends the iteration. */
static int find_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            program_from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            program_to = program_from + info->dlpi_phdr[i].p_memsz;
        }
    }
    return 1;
}

__attribute__((constructor)) static void locate(void) { dl_iterate_phdr(find_program, NULL); }

static bool must_fail(const void *caller)
{
    return from_program(caller) && ++allocations == read_setting("SHIM_MALLOC", 0);
}

void *malloc(size_t bytes)
{
    return must_fail(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return must_fail(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return must_fail(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, bytes);
}

/* ---- files */
FILE *fopen(const char *path, const char *mode)
{
    FILE *(*real)(const char *, const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    size_t length = strlen(path);
    bool part = length > 5 && strcmp(path + length - 5, ".part") == 0;
    return real(part && read_setting("SHIM_FULL", 0) ? "/dev/full" : path, mode);
}
