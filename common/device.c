/* Finding and choosing a device. Nothing here assumes that a platform has devices, that the first
 * device is the right one, or that a query is known: workshops meet all of these. */
#define _GNU_SOURCE // strcasestr
#include "device.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INFO(id, what, target) CL(clGetDeviceInfo(id, what, sizeof(target), &(target), NULL))

/* Facts that older platforms do not know stay 0: their error is not one. */
#define INFO_IF_KNOWN(id, what, target)                                                            \
    (void)clGetDeviceInfo(id, what, sizeof(target), &(target), NULL)

static bool contains(const char *text, const char *part) { return strcasestr(text, part) != NULL; }

/* ---- what a device says about itself */
static const char *text_of(cl_device_id id, cl_device_info what)
{
    static char text[1 << 14]; // extensions are long
    INFO(id, what, text);
    return text;
}

/* What only some devices have. */
static void read_optional_facts(struct device *device)
{
    const cl_device_id id = device->id;
    const char *extensions = text_of(id, CL_DEVICE_EXTENSIONS);
    cl_uint count = 0, capability = 0;
    cl_bool collectives = CL_FALSE;
    INFO_IF_KNOWN(id, CL_DEVICE_MAX_NUM_SUB_GROUPS, count);
    INFO_IF_KNOWN(id, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, collectives);
    // cl_ext_float_atomics' two queries, which Debian 12's headers do not name yet.
    INFO_IF_KNOWN(id, 0x4231, device->float_atomics);
    INFO_IF_KNOWN(id, 0x4232, device->double_atomics);
    device->doubles = contains(extensions, "cl_khr_fp64");
    device->atomics64 = contains(extensions, "cl_khr_int64_base_atomics");
    device->atomics64_min = contains(extensions, "cl_khr_int64_extended_atomics");
    device->work_group_collectives = collectives || device->c_version == 200;
    // Others announce cl_intel_subgroups without its block reads: only Intel is taken at its word.
    if (strncmp(device->name, "Intel", 5) == 0 && contains(extensions, "cl_intel_subgroups") &&
        contains(extensions, "cl_intel_required_subgroup_size"))
        INFO_IF_KNOWN(id, CL_DEVICE_SUB_GROUP_SIZES_INTEL, device->sub_group_sizes);
    // A CPU's sub-groups of a size that nobody can choose are no lanes of its hardware: pocl 5 and
    // later exchange values between them by barriers of the whole group, slower than our stand-in.
    if (device->c_version >= 200 && (count > 0 || contains(extensions, "cl_khr_subgroups")))
        device->sub_groups = device->cpu && !device->sub_group_sizes[0] ? EMULATED : HARDWARE;
    // Others, pocl too, answer this for the same hardware; only NVIDIA's own compiler takes its
    // assembly as it is.
    INFO_IF_KNOWN(id, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, capability);
    if (capability >= 3 && strncmp(device->name, "NVIDIA CUDA", 11) == 0)
        device->nvidia = capability;
}

static struct device facts_of(cl_platform_id platform, cl_device_id id, int number)
{
    struct device device = { .id = id, .number = number };
    char name[100], suffix[24] = "";
    unsigned major = 1, minor = 0;
    cl_device_type type;
    CL(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL));
    (void)clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix, suffix, NULL);
    snprintf(device.name, sizeof device.name, "%.99s [%.23s] / %.125s", name, suffix,
             text_of(id, CL_DEVICE_NAME));
    snprintf(device.driver, sizeof device.driver, "%.127s", text_of(id, CL_DRIVER_VERSION));
    snprintf(device.version, sizeof device.version, "%.127s", text_of(id, CL_DEVICE_VERSION));
    if (sscanf(device.version, "OpenCL %u", &major) != 1 || major < 3) // 3.0 has C 3.0
        sscanf(text_of(id, CL_DEVICE_OPENCL_C_VERSION), "OpenCL C %u.%u", &major, &minor);
    device.c_version = major * 100 + minor * 10;
    device.simulated = contains(device.name, "Oclgrind");

    INFO(id, CL_DEVICE_TYPE, type);
    device.cpu = type & CL_DEVICE_TYPE_CPU;
    device.gpu = type & CL_DEVICE_TYPE_GPU;
    device.kind = device.cpu ? "CPU" : device.gpu ? "GPU" : "other";
    INFO(id, CL_DEVICE_MAX_COMPUTE_UNITS, device.compute_units);
    INFO(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, device.vector_ints);
    INFO(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, device.group_limit);
    INFO(id, CL_DEVICE_LOCAL_MEM_SIZE, device.local_bytes);
    INFO(id, CL_DEVICE_GLOBAL_MEM_SIZE, device.memory_bytes);
    INFO(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, device.buffer_bytes);
    INFO(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, device.cache_bytes);
    if (device.buffer_bytes > device.memory_bytes) // some name more than there is
        device.buffer_bytes = device.memory_bytes;
    read_optional_facts(&device);
    return device;
}

/* ---- choosing one */
enum { MOST = 64 };

/* Every device of every platform; a platform without any is passed over. Returns how many. */
static int list(struct device *all)
{
    cl_uint platforms = 0, devices;
    int count = 0;
    cl_platform_id platform[MOST];
    cl_device_id id[MOST];
    cl_int status = clGetPlatformIDs(MOST, platform, &platforms), bad = CL_SUCCESS;
    if (status != CL_PLATFORM_NOT_FOUND_KHR) // the loader's way of saying that there is none
        check_cl(status, "clGetPlatformIDs");
    for (cl_uint p = 0; p < platforms && p < MOST; p++) {
        status = clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, MOST, id, &devices);
        if (status != CL_SUCCESS && status != CL_DEVICE_NOT_FOUND) // none is no error
            bad = status;
        for (cl_uint d = 0; status == CL_SUCCESS && d < devices && count < MOST; d++, count++)
            all[count] = facts_of(platform[p], id[d], count);
    }
    if (count == 0) // else a broken platform does not hide the others
        check_cl(bad, "clGetDeviceIDs");
    return count;
}

static bool given(const char *wanted) { return wanted && *wanted; } // empty is as good as none

/* How far a device is from what is wanted: the nearest is chosen, and of those the first. */
static size_t distance(const struct device *device, const char *wanted)
{
    if (!given(wanted)) // where a beginner sees most
        return device->gpu ? 0 : device->cpu && device->sub_groups == HARDWARE ? 1 : 2;
    if (strspn(wanted, "0123456789") == strlen(wanted))
        return atol(wanted) == device->number ? 0 : SIZE_MAX;
    // A CPU's brand may stand in many names: that one is meant which begins with it, or has it
    // soonest.
    const char *at = strcasestr(device->name, wanted);
    return at ? (size_t)(at - device->name) : SIZE_MAX;
}

/* Fails if there is no such one. */
static const struct device *choose(const struct device *all, int count, const char *wanted)
{
    const struct device *nearest = all;
    for (const struct device *device = all; device < all + count; device++)
        if (distance(device, wanted) < distance(nearest, wanted))
            nearest = device;
    if (count == 0)
        fail("no OpenCL device found: `make deps` installs one; pocl, if it is there, must be able "
             "to write to HOME or POCL_CACHE_DIR; ./step00 says what it sees");
    if (distance(nearest, wanted) == SIZE_MAX)
        fail("no device '%s': --device and REDUCE_DEVICE take a number from 0 to %d or part of a "
             "name that --list shows (pocl hides where it cannot write to HOME or POCL_CACHE_DIR)",
             wanted, count - 1);
    return nearest;
}

void device_print_list(const char *wanted)
{
    struct device all[MOST];
    const int count = list(all);
    const struct device *only = given(wanted) ? choose(all, count, wanted) : NULL;
    for (const struct device *device = all; device < all + count; device++)
        if (!only || device == only)
            printf("%d  %s  %s, %u compute units\n", device->number, device->kind, device->name,
                   device->compute_units);
    if (count == 0)
        printf("no OpenCL device: install one with `make deps`, then ask ./step00\n");
}

struct device device_open(const char *wanted)
{
    struct device all[MOST];
    const int count = list(all);
    struct device device = *choose(all, count, given(wanted) ? wanted : getenv("REDUCE_DEVICE"));
    cl_int status;
    device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);
    check_cl(status, "clCreateContext");
    // The older call: every runtime has it, Oclgrind no other.
    device.queue = device.profiled =
        clCreateCommandQueue(device.context, device.id, CL_QUEUE_PROFILING_ENABLE, &status);
    if (device.gpu && status == CL_SUCCESS)
        device.queue = clCreateCommandQueue(device.context, device.id, 0, &status);
    check_cl(status, "clCreateCommandQueue");
    device.kernels = allocate(sizeof *device.kernels);
    return device;
}

void device_close(struct device *device)
{
    if (device->queue != device->profiled)
        CL(clReleaseCommandQueue(device->queue));
    CL(clReleaseCommandQueue(device->profiled));
    CL(clReleaseContext(device->context));
    free(device->kernels);
}
