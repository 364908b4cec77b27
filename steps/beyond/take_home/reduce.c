/* Implements reduce.h, which also has the licence: the kernel, as text, and the functions that
 * launch it. */
#include "reduce.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kernel
 *
 *   array        0 0 | a a b b c c d d | a a b b … | 1 1    head, rows of LANES vectors, tail
 *   arrivals     number of arrived groups | value of group 0 | value of group 1 | …
 *   result       value (2 words) | number of the launch
 *
 * LANES neighbouring work-items read a row, and each of them has several rows in flight. On a GPU
 * the rows are read in batches of four, which the sub-groups take in turn. On a CPU a group is one
 * work-item, and reads one block of the array. Vectors have to be aligned, so the elements before
 * the first aligned address, the head, are read one by one, and so is the tail.
 *
 * The group that arrives last combines the values of all groups, and sets their number back to 0.
 * OpenCL 1.2 promises that atomics are indivisible, and that mem_fence() orders a group's value
 * before its arrival for the work-item itself. It does not promise that other groups see that
 * order, but all devices that we have tried keep it. */
static const char *const source[] = {
    "#if defined SUM\n"
    "#define COMBINE(left, right) ((left) + (right))\n"
    "#elif defined MIN // `left` is never a NaN, so a NaN on the right is skipped\n"
    "#define COMBINE(left, right) ((right) < (left) ? (right) : (left))\n"
    "#else\n"
    "#define COMBINE(left, right) ((left) < (right) ? (right) : (left))\n"
    "#endif\n"
    "#define PASTE(left, right) left##right\n"
    "#define JOIN(left, right) PASTE(left, right)\n"
    "typedef JOIN(T, WIDTH) V;\n"
    "#define WORDS (sizeof(T) / sizeof(uint))\n"
    "#define SIDE (GROUP < 16 ? GROUP : 16)\n"
    "\n"
    "union bits {\n"
    "    T value;\n"
    "    uint word[sizeof(T) / sizeof(uint)];\n"
    "};\n"
    "\n"
    "// Work-item 0 gets the result: 256 values become 16, and these become one.\n"
    "static inline T combine_group(T value, local T *scratch)\n"
    "{\n"
    "    uint id = get_local_id(0);\n"
    "    scratch[id] = value;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (id < SIDE) {\n"
    "        for (uint k = id + SIDE; k < GROUP; k += SIDE)\n"
    "            value = COMBINE(value, scratch[k]);\n"
    "        scratch[id] = value;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (id == 0)\n"
    "        for (uint k = 1; k < SIDE; k++)\n"
    "            value = COMBINE(value, scratch[k]);\n"
    "    return value;\n"
    "}\n"
    "\n"
    "// Combines this work-item's part of the groups' values. Four reads are in flight at a time.\n"
    "static inline T combine_some(volatile global uint *values, uint groups)\n"
    "{\n"
    "    T all = IDENTITY;\n"
    "    for (uint g = get_local_id(0); g < groups; g += 4 * GROUP) {\n"
    "        union bits four[4];\n"
    "        for (uint k = 0; k < 4; k++) {\n"
    "            four[k].value = IDENTITY;\n"
    "            if (g + k * GROUP < groups) // an atomic read, because it exchanges 0 for 0\n"
    "                for (uint w = 0; w < WORDS; w++)\n"
    "                    four[k].word[w] =\n"
    "                        atomic_cmpxchg(values + (g + k * GROUP) * WORDS + w, 0, 0);\n"
    "        }\n"
    "        for (uint k = 0; k < 4; k++)\n"
    "            all = COMBINE(all, four[k].value);\n"
    "    }\n"
    "    return all;\n"
    "}\n",

    "kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void reduce(global const T *in, ulong start, ulong n, uint launch,\n"
    "            volatile global uint *arrivals, global uint *result)\n"
    "{\n"
    "    local T scratch[GROUP];\n"
    "    local uint is_last;\n"
    "    uint id = get_local_id(0), groups = get_num_groups(0);\n"
    "    ulong item = get_global_id(0), items = get_global_size(0);\n"
    "    ulong lane = item % LANES, part = item / LANES, parts = items / LANES;\n"
    "    in += start;\n"
    "    ulong head = min(n, (ulong)((0 - (size_t)in) % 128 / sizeof(T)));\n"
    "    ulong rows = (n - head) / (WIDTH * LANES), tail = head + rows * (WIDTH * LANES);\n"
    "    ulong batch = BATCH ? BATCH : (rows + parts - 1) / parts;\n"
    "    global const V *row = (global const V *)(in + head) + lane;\n"
    "\n"
    "    V a = (V)(IDENTITY), b = a, c = a, d = a; // no accumulator waits for another\n"
    "    for (ulong first = part * batch; first < rows; first += parts * batch) {\n"
    "        ulong length = first + batch <= rows ? batch : rows - first, quarter = length / 4;\n"
    "        for (ulong i = first; i < first + quarter; i++) {\n"
    "            a = COMBINE(a, row[i * LANES]);\n"
    "            b = COMBINE(b, row[(i + quarter) * LANES]);\n"
    "            c = COMBINE(c, row[(i + 2 * quarter) * LANES]);\n"
    "            d = COMBINE(d, row[(i + 3 * quarter) * LANES]);\n"
    "        }\n"
    "        for (ulong i = first + 4 * quarter; i < first + length; i++)\n"
    "            d = COMBINE(d, row[i * LANES]);\n"
    "    }\n"
    "    a = COMBINE(COMBINE(a, b), COMBINE(c, d));\n"
    "    T *element = (T *)&a;\n"
    "    for (uint active = WIDTH / 2; active > 0; active /= 2)\n"
    "        for (uint k = 0; k < active; k++)\n"
    "            element[k] = COMBINE(element[k], element[k + active]);\n"
    "    T all = element[0];\n"
    "    for (ulong i = item; i < head; i += items)\n"
    "        all = COMBINE(all, in[i]);\n"
    "    for (ulong i = tail + item; i < n; i += items)\n"
    "        all = COMBINE(all, in[i]);\n"
    "\n"
    "    volatile global uint *arrived = arrivals, *values = arrivals + 1;\n"
    "    union bits mine;\n"
    "    mine.value = combine_group(all, scratch);\n"
    "    if (id == 0) {\n"
    "        is_last = 1;\n"
    "        if (groups > 1) {\n"
    "            for (uint w = 0; w < WORDS; w++)\n"
    "                atomic_xchg(values + get_group_id(0) * WORDS + w, mine.word[w]);\n"
    "            mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "            is_last = atomic_inc(arrived) == groups - 1;\n"
    "        }\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "    if (is_last) {\n"
    "        if (groups > 1)\n"
    "            mine.value = combine_group(combine_some(values, groups), scratch);\n"
    "        if (id == 0) {\n"
    "            for (uint w = 0; w < WORDS; w++)\n"
    "                result[w] = mine.word[w];\n"
    "            result[2] = launch; // tells the host that this launch has a result\n"
    "            atomic_xchg(arrived, 0);\n"
    "        }\n"
    "    }\n"
    "}\n",
};
/* ---- operations: name, type, type in the kernel (a sum of int wraps as uint does), identity */
#define OPERATIONS(DO)                                                                             \
    DO(sum, SUM, int, uint, 0)                                                                     \
    DO(sum, SUM, uint, uint, 0)                                                                    \
    DO(sum, SUM, float, float, 0)                                                                  \
    DO(sum, SUM, double, double, 0)                                                                \
    DO(min, MIN, int, int, INT_MAX)                                                                \
    DO(min, MIN, uint, uint, UINT_MAX)                                                             \
    DO(min, MIN, float, float, INFINITY)                                                           \
    DO(min, MIN, double, double, INFINITY)                                                         \
    DO(max, MAX, int, int, INT_MIN)                                                                \
    DO(max, MAX, uint, uint, 0)                                                                    \
    DO(max, MAX, float, float, -INFINITY)                                                          \
    DO(max, MAX, double, double, -INFINITY)

#define NAME_KERNEL(op, OP, type, in_kernel, identity) KERNEL_##op##_##type,
enum { OPERATIONS(NAME_KERNEL) KERNELS };

/* What the kernel writes to `result`. */
struct result {
    cl_uint value[2], launch;
};

struct reducer {
    cl_command_queue queue;
    cl_context context;
    cl_device_id device;
    cl_bool is_gpu, has_double;
    size_t group_size, most_groups;
    cl_mem arrivals, result;
    cl_bool counter_is_zero; /* unknown before the first launch, and after a launch that failed */
    cl_uint launches;
    cl_kernel kernels[KERNELS];
};

#define RETURN_IF_ERROR(call)                                                                      \
    do {                                                                                           \
        const cl_int status_of_call = (call);                                                      \
        if (status_of_call != CL_SUCCESS)                                                          \
            return status_of_call;                                                                 \
    } while (0)

/* Asks for the properties of the queue and of its device, and creates the buffers. */
static cl_int prepare(reducer *r)
{
    cl_command_queue_properties properties = 0;
    cl_device_type type = 0;
    cl_device_fp_config doubles = 0;
    cl_uint units = 0;
    size_t largest = 0;
    cl_int status;

#define OF_QUEUE(what, to) clGetCommandQueueInfo(r->queue, what, sizeof to, &to, NULL)
#define OF_DEVICE(what, to) clGetDeviceInfo(r->device, what, sizeof to, &to, NULL)
    RETURN_IF_ERROR(OF_QUEUE(CL_QUEUE_CONTEXT, r->context));
    RETURN_IF_ERROR(OF_QUEUE(CL_QUEUE_DEVICE, r->device));
    RETURN_IF_ERROR(OF_QUEUE(CL_QUEUE_PROPERTIES, properties));
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) /* the read might come first */
        return CL_INVALID_QUEUE_PROPERTIES;
    RETURN_IF_ERROR(OF_DEVICE(CL_DEVICE_TYPE, type));
    RETURN_IF_ERROR(OF_DEVICE(CL_DEVICE_MAX_COMPUTE_UNITS, units));
    RETURN_IF_ERROR(OF_DEVICE(CL_DEVICE_MAX_WORK_GROUP_SIZE, largest));
    r->has_double = OF_DEVICE(CL_DEVICE_DOUBLE_FP_CONFIG, doubles) == CL_SUCCESS && doubles != 0;
    r->is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
    r->group_size = r->is_gpu ? 256 : 1;
    while (r->group_size > largest && r->group_size > 1)
        r->group_size /= 2;
    r->most_groups = (size_t)(r->is_gpu ? 4 : 8) * units;

    r->arrivals = clCreateBuffer(r->context, CL_MEM_READ_WRITE,
                                 (1 + 2 * r->most_groups) * sizeof(cl_uint), NULL, &status);
    RETURN_IF_ERROR(status);
    /* in memory of the host, if the device can write there */
    r->result = clCreateBuffer(r->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                               sizeof(struct result), NULL, &status);
    return status;
}

cl_int reducer_create(cl_command_queue queue, reducer **created)
{
    reducer *r = (reducer *)calloc(1, sizeof *r);
    cl_int status;
    *created = NULL;
    if (!r)
        return CL_OUT_OF_HOST_MEMORY;
    status = clRetainCommandQueue(queue);
    if (status != CL_SUCCESS) {
        free(r);
        return status;
    }
    r->queue = queue;
    status = prepare(r);
    if (status == CL_SUCCESS)
        *created = r;
    else
        reducer_release(r);
    return status;
}

void reducer_release(reducer *r)
{
    int k;
    if (!r)
        return;
    for (k = 0; k < KERNELS; k++)
        if (r->kernels[k])
            clReleaseKernel(r->kernels[k]);
    if (r->arrivals)
        clReleaseMemObject(r->arrivals);
    if (r->result)
        clReleaseMemObject(r->result);
    clReleaseCommandQueue(r->queue);
    free(r);
}

static cl_int build(reducer *r, const char *operation, size_t element_bytes, cl_kernel *kernel)
{
    char options[200];
    cl_int status;
    const int width = r->is_gpu ? 4 : 64 / (int)element_bytes;
    const int lanes = r->group_size < 32 ? (int)r->group_size : 32;
    cl_program program = clCreateProgramWithSource(r->context, sizeof source / sizeof *source,
                                                   (const char **)source, NULL, &status);
    RETURN_IF_ERROR(status);
    snprintf(options, sizeof options,
             "-cl-std=CL1.2 %s -D WIDTH=%d -D LANES=%d -D GROUP=%d -D BATCH=%d", operation, width,
             lanes, (int)r->group_size, r->is_gpu ? 4 : 0);
    status = clBuildProgram(program, 1, &r->device, options, NULL, NULL);
    if (status == CL_SUCCESS)
        *kernel = clCreateKernel(program, "reduce", &status);
    clReleaseProgram(program); /* the kernel keeps what it needs */
    return status;
}

static cl_int check_range(const reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, size_t bytes)
{
    size_t buffer_bytes;
    cl_context context;
    RETURN_IF_ERROR(
        clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof buffer_bytes, &buffer_bytes, NULL));
    RETURN_IF_ERROR(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL));
    if (context != r->context) /* pocl would not notice it */
        return CL_INVALID_CONTEXT;
    if (first > buffer_bytes / bytes || n > buffer_bytes / bytes - first)
        return REDUCE_PAST_END;
    return CL_SUCCESS;
}

static cl_int launch(reducer *r, cl_kernel kernel, cl_mem buffer, cl_ulong first, cl_ulong n)
{
    const cl_ulong least = r->is_gpu ? 16 * r->group_size : 1 << 15; /* worth a group */
    const cl_ulong busy = n / least + (n % least != 0);
    const size_t groups = busy < r->most_groups ? (size_t)busy : r->most_groups;
    const size_t items = groups * r->group_size;
    r->launches++;
    RETURN_IF_ERROR(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    RETURN_IF_ERROR(clSetKernelArg(kernel, 1, sizeof first, &first));
    RETURN_IF_ERROR(clSetKernelArg(kernel, 2, sizeof n, &n));
    RETURN_IF_ERROR(clSetKernelArg(kernel, 3, sizeof r->launches, &r->launches));
    RETURN_IF_ERROR(clSetKernelArg(kernel, 4, sizeof r->arrivals, &r->arrivals));
    RETURN_IF_ERROR(clSetKernelArg(kernel, 5, sizeof r->result, &r->result));
    return clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &items, &r->group_size, 0, NULL, NULL);
}

/* Leaves *value as it is if n is 0, or after an error. */
static cl_int reduce(reducer *r, int k, const char *operation, cl_mem buffer, cl_ulong first,
                     cl_ulong n, void *value, size_t bytes)
{
    const cl_uint zero = 0;
    struct result result;
    if (bytes == sizeof(cl_double) && !r->has_double)
        return REDUCE_NO_DOUBLE;
    if (n == 0)
        return CL_SUCCESS;
    RETURN_IF_ERROR(check_range(r, buffer, first, n, bytes));
    if (!r->kernels[k])
        RETURN_IF_ERROR(build(r, operation, bytes, &r->kernels[k]));
    if (!r->counter_is_zero)
        RETURN_IF_ERROR(clEnqueueWriteBuffer(r->queue, r->arrivals, CL_TRUE, 0, sizeof zero, &zero,
                                             0, NULL, NULL));
    r->counter_is_zero = CL_FALSE; /* until the last group has set it to 0 */
    RETURN_IF_ERROR(launch(r, r->kernels[k], buffer, first, n));
    RETURN_IF_ERROR(clEnqueueReadBuffer(r->queue, r->result, CL_TRUE, 0, sizeof result, &result, 0,
                                        NULL, NULL));
    if (result.launch != r->launches)
        return REDUCE_ABORTED;
    r->counter_is_zero = CL_TRUE;
    memcpy(value, result.value, bytes);
    return CL_SUCCESS;
}

#define DEFINE_FUNCTION(op, OP, type, in_kernel, identity)                                         \
    cl_int reduce_##op##_##type(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n,             \
                                cl_##type *result)                                                 \
    {                                                                                              \
        cl_##type value = identity;                                                                \
        const cl_int status = reduce(r, KERNEL_##op##_##type,                                      \
                                     "-D " #OP " -D T=" #in_kernel " -D IDENTITY=" #identity,      \
                                     buffer, first, n, &value, sizeof value);                      \
        if (status == CL_SUCCESS)                                                                  \
            *result = value;                                                                       \
        return status;                                                                             \
    }
OPERATIONS(DEFINE_FUNCTION)
