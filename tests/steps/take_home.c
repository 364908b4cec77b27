/* Tests steps/beyond/take_home/ on one device: take_home DEVICE [gpu] [large | once]
 *
 *   harness   makes the elements and knows the result  ->  reduce_sum_int(), …  ->  compare
 *
 * reduce.c is included here, so that the calls of OpenCL in it can be counted, and each of them can
 * be made to fail. With `gpu` the device says that it is one. With `once` each operation reduces
 * arrays of one size only, which is fast enough for Oclgrind. Prints a line for each mistake.
 */
#define _GNU_SOURCE // for memfd_create()
#include "step.h"
#include "verify.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum launch_ending { ENDS_WELL, IS_ABORTED, IS_LOST };

static struct {
    int calls_until_failure; // of OpenCL and of calloc; negative: none fails
    int objects;             // made or retained, and not yet released
    bool says_gpu, hides_double;
    enum launch_ending ending; // of the next launch
    cl_mem arrivals;           // of the reducer whose launch ends badly
} fake = { .calls_until_failure = -1 };

static bool call_fails(void) { return fake.calls_until_failure-- == 0; }
static void *count_object(void *object)
{
    fake.objects += object != NULL;
    return object;
}
static cl_int retain_queue(cl_command_queue queue)
{
    const cl_int status = clRetainCommandQueue(queue);
    fake.objects += status == CL_SUCCESS;
    return status;
}
static void *fail_to_make(cl_int *status)
{
    *status = CL_OUT_OF_RESOURCES;
    return NULL;
}

static cl_int read_device(cl_device_id device, cl_device_info what, size_t size, void *to)
{
    const cl_int status = clGetDeviceInfo(device, what, size, to, NULL);
    if (what == CL_DEVICE_TYPE && fake.says_gpu)
        *(cl_device_type *)to = CL_DEVICE_TYPE_GPU;
    if (what == CL_DEVICE_DOUBLE_FP_CONFIG && fake.hides_double)
        *(cl_device_fp_config *)to = 0;
    return status;
}

static cl_int launch_badly(cl_command_queue queue, cl_kernel kernel, const size_t *items,
                           const size_t *group_size)
{
    const enum launch_ending ending = fake.ending;
    const cl_uint many_groups = 1000; // so no group of the next launch is the last one
    fake.ending = ENDS_WELL;
    if (ending != IS_LOST)
        CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, items, group_size, 0, NULL, NULL));
    if (ending == ENDS_WELL)
        return CL_SUCCESS;
    CL(clEnqueueWriteBuffer(queue, fake.arrivals, CL_TRUE, 0, sizeof many_groups, &many_groups, 0,
                            NULL, NULL));
    return ending == IS_LOST ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

#define STATUS_OF(call) (call_fails() ? CL_OUT_OF_RESOURCES : (call))
#define OBJECT_OF(call, status) (call_fails() ? fail_to_make(status) : count_object(call))
#define RELEASE(call) (fake.objects--, (call))
#define calloc(count, size) (call_fails() ? NULL : count_object(calloc(count, size)))
#define free(memory) (fake.objects -= (memory) != NULL, free(memory))
#define clRetainCommandQueue(q) STATUS_OF(retain_queue(q))
#define clGetCommandQueueInfo(...) STATUS_OF(clGetCommandQueueInfo(__VA_ARGS__))
#define clGetDeviceInfo(device, what, size, to, got) STATUS_OF(read_device(device, what, size, to))
#define clGetMemObjectInfo(...) STATUS_OF(clGetMemObjectInfo(__VA_ARGS__))
#define clCreateBuffer(c, f, b, h, status) OBJECT_OF(clCreateBuffer(c, f, b, h, status), status)
#define clCreateProgramWithSource(c, n, t, l, status)                                              \
    OBJECT_OF(clCreateProgramWithSource(c, n, t, l, status), status)
#define clBuildProgram(...) STATUS_OF(clBuildProgram(__VA_ARGS__))
#define clCreateKernel(p, n, status) OBJECT_OF(clCreateKernel(p, n, status), status)
#define clSetKernelArg(...) STATUS_OF(clSetKernelArg(__VA_ARGS__))
#define clEnqueueWriteBuffer(...) STATUS_OF(clEnqueueWriteBuffer(__VA_ARGS__))
#define clEnqueueReadBuffer(...) STATUS_OF(clEnqueueReadBuffer(__VA_ARGS__))
#define clEnqueueNDRangeKernel(q, k, d, o, items, group, n, l, e)                                  \
    STATUS_OF(launch_badly(q, k, items, group))
#define clReleaseKernel(k) RELEASE(clReleaseKernel(k))
#define clReleaseMemObject(m) RELEASE(clReleaseMemObject(m))
#define clReleaseCommandQueue(q) RELEASE(clReleaseCommandQueue(q))
#define clReleaseProgram(p) RELEASE(clReleaseProgram(p))
#include "../../steps/beyond/take_home/reduce.c"
#undef calloc
#undef free
#undef clCreateBuffer
#undef clReleaseMemObject
#undef clReleaseCommandQueue

static int mistakes, checks;

static void expect(bool is_right, const char *what, ...) __attribute__((format(printf, 2, 3)));
static void expect(bool is_right, const char *what, ...)
{
    va_list arguments;
    checks++;
    if (is_right)
        return;
    mistakes++;
    va_start(arguments, what);
    vprintf(what, arguments);
    va_end(arguments);
    putchar('\n');
}

/* ---- every operation on the ladder's data */
static cl_int call(reducer *r, const struct operation *operation, cl_mem buffer, uint64_t first,
                   uint64_t n, any_value *value)
{
#define TRY(op_, OP, type_, in_kernel, identity)                                                   \
    if (strcmp(operation->op, #op_) == 0 && strcmp(operation->type, #type_) == 0)                  \
        return reduce_##op_##_##type_(r, buffer, first, n, (cl_##type_ *)value);
    OPERATIONS(TRY)
    fail("no %s of %s", operation->op, operation->type);
}

static void plan(struct reduction *reduction) // only for the harness's data
{
    add_stage(reduction, reduction->elements, reduction->result, 1, 1);
}

static const uint64_t sizes[] = { 1,     2,     3,      31,     32,    33,    63,    65,
                                  127,   128,   129,    511,    512,   513,   641,   4095,
                                  4096,  4097,  4608,   8191,   8193,  32767, 32768, 32769,
                                  33280, 65537, 100003, 262143, 262145 };

static void check_sizes(struct device *device, reducer *r, const char *op, const char *type,
                        bool once)
{
    static const uint64_t firsts[] = { 0, 1, 3, 31, 32, 33, 1001 };
    static struct reduction reduction;
    const struct variant variant = { "mine", "06_two_stage.cl", plan };
    const struct operation *operation = find_operation(op, type);
    const size_t bytes = operation->element_bytes;
    any_value value = { { 0 } };
    expect(call(r, operation, NULL, 0, 0, &value) == CL_SUCCESS &&
               (memcmp(&value, operation->identity, bytes) == 0),
           "%s of %s: n = 0 is not the identity", op, type);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        if (once && sizes[s] != 33280)
            continue;
        const struct problem problem = { &variant, operation, .n = sizes[s] };
        struct data inputs[INPUTS_MAX];
        if (!plan_reduction(&reduction, device, &problem))
            fail("not supported here: %s", reduction.reason);
        const int count = list_inputs(&problem, 7 + (uint32_t)s, inputs);
        for (int i = 0; i < count; i++) {
            const uint64_t n = sizes[s], first = firsts[(s + i) % 7];
            make_data(&reduction, inputs[i]);
            memset(&value, 0, sizeof value);
            cl_int status = call(r, operation, reduction.elements.buffer, 0, n, &value);
            expect(status == CL_SUCCESS && value_is_right(&reduction, &value),
                   "%s of %s, n = %" PRIu64 ", input %d: status %d, %s", op, type, n, i, status,
                   reduction.verdict.reason);
            // Between elements that would win.
            cl_mem large = create_buffer(device, (first + n + 64) * bytes, "a copy");
            CL(clEnqueueFillBuffer(device->queue, large, operation->poison, bytes, 0,
                                   (first + n + 64) * bytes, 0, NULL, NULL));
            CL(clEnqueueCopyBuffer(device->queue, reduction.elements.buffer, large, 0,
                                   first * bytes, n * bytes, 0, NULL, NULL));
            memset(&value, 0, sizeof value);
            status = call(r, operation, large, first, n, &value);
            expect(status == CL_SUCCESS && value_is_right(&reduction, &value),
                   "%s of %s, n = %" PRIu64 ", first %" PRIu64 ", input %d: status %d, %s", op,
                   type, n, first, i, status, reduction.verdict.reason);
            CL(clReleaseMemObject(large));
            reduction.verdict.reason[0] = '\0';
        }
        expect(input_is_unchanged(&reduction), "%s of %s changes its input", op, type);
    }
    release_reduction(&reduction);
}

/* ---- the order of a sum of floats, and its error */
enum { FEW = 200003 };
static cl_float floats[FEW];

static void check_float_sum(const struct device *device, reducer *r, cl_mem buffer)
{
    double exact = 0, size = 0;
    cl_float sum = 0, again = 0;
    for (int i = 0; i < FEW; i++) {
        exact += floats[i];
        size += fabs(floats[i]);
    }
    const double units = device->compute_units,
                 longest = FEW / (512 * units) + 8 * units + 600; // additions: see README.md
    expect(reduce_sum_float(r, buffer, 0, FEW, &sum) == CL_SUCCESS &&
               fabs(sum - exact) <= longest * 0x1p-24 * size,
           "a sum of floats is %g instead of %g", sum, exact);
    for (int i = 0; i < 50; i++)
        expect(reduce_sum_float(r, buffer, 0, FEW, &again) == CL_SUCCESS &&
                   memcmp(&sum, &again, sizeof sum) == 0,
               "a sum of floats was %.9g, and is %.9g when it is repeated", sum, again);
}

/* ---- errors */
static void check_errors(struct device *device, reducer *r, cl_mem buffer)
{
    const cl_ulong most = ~(cl_ulong)0;
    reducer *none = r;
    cl_float sum = 5;
    cl_double wide = 5;
    expect(reducer_create(NULL, &none) == CL_INVALID_COMMAND_QUEUE && !none,
           "a queue that is NULL");
    reducer_release(NULL);
    expect(reduce_sum_float(r, NULL, 0, 1, &sum) == CL_INVALID_MEM_OBJECT, "a buffer that is NULL");
    expect(reduce_sum_float(r, buffer, 0, FEW + 1, &sum) == REDUCE_PAST_END, "n too large");
    expect(reduce_sum_float(r, buffer, 1, FEW, &sum) == REDUCE_PAST_END, "first + n too large");
    expect(reduce_sum_float(r, buffer, 1, most, &sum) == REDUCE_PAST_END, "first + n overflows");
    expect(reduce_sum_float(r, buffer, most, 1, &sum) == REDUCE_PAST_END, "first too large");
    expect(reduce_sum_double(r, buffer, 0, FEW / 2 + 1, &wide) == REDUCE_PAST_END, "doubles");
    expect(sum == 5 && wide == 5, "an error changes the result");

    cl_int status;
    cl_context other = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
    cl_mem foreign = clCreateBuffer(other, CL_MEM_READ_ONLY, 64, NULL, &status);
    status = reduce_sum_float(r, foreign, 0, 16, &sum);
    expect(status == CL_INVALID_CONTEXT && sum == 5, "a buffer of another context: status %d",
           status);
    clReleaseMemObject(foreign);
    clReleaseContext(other);

    fake.hides_double = true;
    expect(reducer_create(device->queue, &none) == CL_SUCCESS &&
               reduce_sum_double(none, buffer, 0, 1, &wide) == REDUCE_NO_DOUBLE && wide == 5,
           "a device without double");
    reducer_release(none);
    fake.hides_double = false;
}

/* Each call of OpenCL fails once. Then the error is returned, the next call is right, and nothing
 * is left in the end. */
static void check_failures(struct device *device, cl_mem buffer, cl_float right)
{
    const int objects = fake.objects;
    bool one_failed = true;
    for (int k = 0; one_failed; k++) {
        reducer *r = NULL;
        cl_float sum = -1;
        fake.calls_until_failure = k;
        cl_int status = reducer_create(device->queue, &r);
        for (int i = 0; i < 2 && status == CL_SUCCESS; i++)
            status = reduce_sum_float(r, buffer, 0, FEW, &sum);
        one_failed = fake.calls_until_failure < 0;
        expect(status == CL_SUCCESS || status == CL_OUT_OF_RESOURCES ||
                   status == CL_OUT_OF_HOST_MEMORY,
               "call %d fails: status %d", k, status);
        expect(sum == right || (sum == -1 && status != CL_SUCCESS), "call %d fails: sum %g", k,
               sum);
        fake.calls_until_failure = -1;
        expect(!r || (reduce_sum_float(r, buffer, 0, FEW, &sum) == CL_SUCCESS && sum == right),
               "call %d fails: the next sum is wrong: %g", k, sum);
        reducer_release(r);
        expect(fake.objects == objects, "call %d fails: %d objects are left", k,
               fake.objects - objects);
    }
}

static void check_aborted_launches(reducer *r, cl_mem buffer, cl_float right)
{
    cl_float sum = -1;
    fake.arrivals = r->arrivals;
    for (int i = 0; i < 4; i++) {
        fake.ending = i % 2 ? IS_LOST : IS_ABORTED;
        const cl_int status = reduce_sum_float(r, buffer, 0, FEW, &sum);
        expect(status == (i % 2 ? REDUCE_ABORTED : CL_OUT_OF_RESOURCES),
               "an aborted launch: status %d", status);
        expect(reduce_sum_float(r, buffer, 0, FEW, &sum) == CL_SUCCESS && sum == right,
               "after an aborted launch the sum is %g instead of %g", sum, right);
    }
}

/* ---- queues and threads */
struct worker {
    reducer *r;
    cl_mem buffer;
    cl_float right;
    int wrong;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    for (int i = 0; i < 200; i++) {
        cl_float sum = -1;
        if (reduce_sum_float(worker->r, worker->buffer, 0, FEW, &sum) != CL_SUCCESS ||
            sum != worker->right)
            worker->wrong++;
    }
    return NULL;
}

static void check_queues(struct device *device, reducer *r, cl_mem buffer, cl_float right)
{
    cl_int status;
    reducer *others[2];
    cl_command_queue second = clCreateCommandQueue(device->context, device->id, 0, &status);
    CL(status);
    expect(reducer_create(second, &others[0]) == CL_SUCCESS, "a second queue");
    expect(reducer_create(device->queue, &others[1]) == CL_SUCCESS, "a second reducer");
    clReleaseCommandQueue(second); // the reducer still has it
    struct worker workers[3] = { { r, buffer, right, 0 },
                                 { others[0], buffer, right, 0 },
                                 { others[1], buffer, right, 0 } };
    for (int w = 0; w < 3; w++) // compiles
        work(&workers[w]);
    pthread_t threads[3];
    for (int w = 0; w < 3; w++)
        pthread_create(&threads[w], NULL, work, &workers[w]);
    for (int w = 0; w < 3; w++)
        pthread_join(threads[w], NULL);
    for (int w = 0; w < 3; w++)
        expect(workers[w].wrong == 0, "reducer %d of 3: %d of 400 sums are wrong", w,
               workers[w].wrong);
    reducer_release(others[0]);
    reducer_release(others[1]);

    cl_command_queue disordered = clCreateCommandQueue(
        device->context, device->id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    if (status != CL_SUCCESS)
        return;
    expect(reducer_create(disordered, &others[0]) == CL_INVALID_QUEUE_PROPERTIES && !others[0],
           "an out-of-order queue is not refused");
    clReleaseCommandQueue(disordered);
}

/* More than 2^32 elements, although the machine has less memory: one file, mapped again and again,
 * is the memory of the buffer. */
static void check_many(struct device *device, reducer *r)
{
    enum { FILE_BYTES = 1 << 24, TIMES = 1025 };
    const uint64_t bytes = (uint64_t)FILE_BYTES * TIMES, n = bytes / 4;
    const int file = memfd_create("elements", 0);
    char *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cl_uint sum = 0, all = 0, greatest = 0;
    cl_int status;
    if (file < 0 || memory == MAP_FAILED || ftruncate(file, FILE_BYTES))
        fail("no memory to map");
    for (int i = 0; i < TIMES; i++)
        if (mmap(memory + (size_t)i * FILE_BYTES, FILE_BYTES, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
            fail("no memory to map");
    cl_uint *elements = (cl_uint *)memory;
    for (int i = 0; i < FILE_BYTES / 4; i++) {
        elements[i] = (cl_uint)i * 2654435761u >> 1;
        all += elements[i];
    }
    cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes,
                                   memory, &status);
    if (status != CL_SUCCESS) {
        printf("# no buffer for 2^32 elements: error %d\n", status);
        return;
    }
    elements[5] = 0xffffffffu; // in the whole buffer 1025 times
    all += 0xffffffffu - (5u * 2654435761u >> 1);
    expect(reduce_sum_uint(r, buffer, 3, n - 3, &sum) == CL_SUCCESS &&
               sum == all * TIMES - elements[0] - elements[1] - elements[2],
           "2^32 and more elements: wrong sum");
    expect(reduce_max_uint(r, buffer, n - FILE_BYTES / 4, FILE_BYTES / 4, &greatest) ==
                   CL_SUCCESS &&
               greatest == 0xffffffffu,
           "the last elements of more than 2^32: wrong maximum");
    clReleaseMemObject(buffer);
    munmap(memory, bytes);
    close(file);
}

static void check_rest(struct device *device, reducer *r, bool large)
{
    cl_float sum = 0;
    cl_int status;
    for (int i = 0; i < FEW; i++)
        floats[i] = (float)(i * 2654435761u % 1000003) / 1000 - 300;
    cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   sizeof floats, floats, &status);
    CL(status);
    check_float_sum(device, r, buffer);
    reduce_sum_float(r, buffer, 0, FEW, &sum);
    check_errors(device, r, buffer);
    check_failures(device, buffer, sum);
    check_aborted_launches(r, buffer, sum);
    check_queues(device, r, buffer, sum);
    if (large)
        check_many(device, r);
    clReleaseMemObject(buffer);
}

int main(int argc, char **argv)
{
    struct device device = open_device(argv[1]);
    reducer *r;
    bool large = false, once = false;
    for (int i = 2; i < argc; i++) {
        fake.says_gpu |= strcmp(argv[i], "gpu") == 0;
        large |= strcmp(argv[i], "large") == 0;
        once |= strcmp(argv[i], "once") == 0;
    }
    if (reducer_create(device.queue, &r) != CL_SUCCESS)
        fail("reducer_create");
#define CHECK(op, OP, type, in_kernel, identity)                                                   \
    if (sizeof(cl_##type) < 8 || device.has_doubles)                                               \
        check_sizes(&device, r, #op, #type, once);
    OPERATIONS(CHECK)

    if (!once)
        check_rest(&device, r, large);
    reducer_release(r);
    expect(fake.objects == 0, "%d objects are left", fake.objects);
    printf("%d checks, %d mistakes\n", checks, mistakes);
    close_device(&device);
    return mistakes > 0;
}
