/* A platform may have no device, the first device may be unsuitable, and a device may not know a
 * query: each of these occurs on machines of workshops. */
#define _GNU_SOURCE // strcasestr
#include "device.h"

#include <CL/cl_ext.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GET_INFO(id, what, target) CL(clGetDeviceInfo(id, what, sizeof(target), &(target), NULL))

/* Older platforms do not know these queries. If a query fails, the target keeps its value. */
#define GET_INFO_IF_KNOWN(id, what, target)                                                        \
    (void)clGetDeviceInfo(id, what, sizeof(target), &(target), NULL)

/* ---- what a device can do */

/* Reads the features that only some devices support. */
static void read_optional_facts(struct device *device)
{
    static char extensions[1 << 14]; // this list is long
    const cl_device_id id = device->id;
    cl_uint sub_group_count = 0, capability = 0;
    cl_bool collectives = CL_FALSE;
    GET_INFO(id, CL_DEVICE_EXTENSIONS, extensions);
    GET_INFO_IF_KNOWN(id, CL_DEVICE_MAX_NUM_SUB_GROUPS, sub_group_count);
    GET_INFO_IF_KNOWN(id, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, collectives);
    // The two queries of cl_ext_float_atomics, which the headers of Debian 12 do not name yet.
    GET_INFO_IF_KNOWN(id, 0x4231, device->float_atomics);
    GET_INFO_IF_KNOWN(id, 0x4232, device->double_atomics);
    device->has_doubles = strcasestr(extensions, "cl_khr_fp64");
    device->has_atomics64 = strcasestr(extensions, "cl_khr_int64_base_atomics");
    device->has_atomics64_min = strcasestr(extensions, "cl_khr_int64_extended_atomics");
    device->has_work_group_reduce = collectives || device->c_version == 200;
    // Other vendors announce cl_intel_subgroups without its block reads, so the harness uses the
    // extension on Intel's platforms only.
    if (strncmp(device->name, "Intel", 5) == 0 && strcasestr(extensions, "cl_intel_subgroups") &&
        strcasestr(extensions, "cl_intel_required_subgroup_size"))
        GET_INFO_IF_KNOWN(id, CL_DEVICE_SUB_GROUP_SIZES_INTEL, device->sub_group_sizes);
    // If a CPU's sub-groups have a size that a kernel cannot request, they are not lanes of its
    // hardware: pocl 5 and later exchange values between them by barriers of the whole group, which
    // is slower than our own exchange through local memory.
    if (device->c_version >= 200 &&
        (sub_group_count > 0 || strcasestr(extensions, "cl_khr_subgroups")))
        device->sub_groups = device->is_cpu && !device->sub_group_sizes[0] ? SUB_GROUPS_EMULATED
                                                                           : SUB_GROUPS_IN_HARDWARE;
    // pocl answers this question for the same hardware, but only NVIDIA's own compiler accepts
    // its assembly.
    GET_INFO_IF_KNOWN(id, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, capability);
    if (capability >= 3 && strncmp(device->name, "NVIDIA CUDA", 11) == 0)
        device->nvidia = capability;
}

/* OpenCL often names a smaller cache of a CPU, so the system is asked. */
static uint64_t read_last_level_cache(const struct device *device)
{
    unsigned long kibibytes = 0;
    cl_ulong bytes = 0;
    GET_INFO(device->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, bytes);
    for (int index = 0; device->is_cpu && index < 8; index++) {
        char path[80];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        FILE *file = fopen(path, "r");
        if (!file)
            break;
        (void)!fscanf(file, "%luK", &kibibytes); // the last file names the largest cache
        fclose(file);
    }
    return kibibytes ? kibibytes * 1024 : bytes;
}

static struct device read_facts(cl_platform_id platform, cl_device_id id, int number)
{
    struct device device = { .id = id, .number = number };
    char platform_name[100], suffix[24] = "", model[1000], text[1000];
    unsigned major = 1, minor = 0;
    cl_device_type type;
    CL(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, NULL));
    (void)clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix, suffix, NULL);
    GET_INFO(id, CL_DEVICE_NAME, model);
    snprintf(device.name, sizeof device.name, "%.99s [%.23s] / %.125s", platform_name, suffix,
             model);
    GET_INFO(id, CL_DRIVER_VERSION, text);
    snprintf(device.driver, sizeof device.driver, "%.127s", text);
    GET_INFO(id, CL_DEVICE_VERSION, text);
    snprintf(device.version, sizeof device.version, "%.127s", text);
    if (sscanf(device.version, "OpenCL %u", &major) != 1 || major < 3) { // 3.0 has OpenCL C 3.0
        GET_INFO(id, CL_DEVICE_OPENCL_C_VERSION, text);
        sscanf(text, "OpenCL C %u.%u", &major, &minor);
    }
    device.c_version = major * 100 + minor * 10;
    device.is_simulated = strcasestr(device.name, "Oclgrind");
    device.guard_elements = device.is_simulated ? 0 : GUARD_ELEMENTS;
    device.guard_values = device.is_simulated ? 0 : GUARD_VALUES;

    GET_INFO(id, CL_DEVICE_TYPE, type);
    device.is_cpu = type & CL_DEVICE_TYPE_CPU;
    device.is_gpu = type & CL_DEVICE_TYPE_GPU;
    device.type = device.is_cpu ? "CPU" : device.is_gpu ? "GPU" : "other";
    GET_INFO(id, CL_DEVICE_MAX_COMPUTE_UNITS, device.compute_units);
    GET_INFO(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, device.vector_ints);
    GET_INFO(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, device.largest_group);
    GET_INFO(id, CL_DEVICE_LOCAL_MEM_SIZE, device.local_bytes);
    GET_INFO(id, CL_DEVICE_GLOBAL_MEM_SIZE, device.memory_bytes);
    GET_INFO(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, device.buffer_bytes);
    device.cache_bytes = read_last_level_cache(&device);
    if (device.buffer_bytes > device.memory_bytes) // some devices report more than they have
        device.buffer_bytes = device.memory_bytes;
    read_optional_facts(&device);
    return device;
}

/* ---- choosing one */
enum { DEVICES_MAX = 64 };

/* Reads every device of every platform. Returns their number. */
static int find_devices(struct device *devices)
{
    cl_uint platform_count = 0, id_count;
    int count = 0;
    cl_platform_id platforms[DEVICES_MAX];
    cl_device_id ids[DEVICES_MAX];
    cl_int status = clGetPlatformIDs(DEVICES_MAX, platforms, &platform_count), broken = CL_SUCCESS;
    if (status != CL_SUCCESS && status != CL_PLATFORM_NOT_FOUND_KHR) // the loader found none
        fail_in_opencl(status, "clGetPlatformIDs");
    for (cl_uint p = 0; p < platform_count && p < DEVICES_MAX; p++) {
        status = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, DEVICES_MAX, ids, &id_count);
        if (status == CL_DEVICE_NOT_FOUND) // a platform without a device is normal
            continue;
        if (status != CL_SUCCESS) {
            broken = status;
            continue;
        }
        for (cl_uint d = 0; d < id_count && count < DEVICES_MAX; d++, count++)
            devices[count] = read_facts(platforms[p], ids[d], count);
    }
    if (count == 0 && broken != CL_SUCCESS) // a broken platform must not hide the others
        fail_in_opencl(broken, "clGetDeviceIDs");
    return count;
}

/* Returns how badly a device matches. choose_device() takes the first device with the least value.
 */
static size_t distance_from(const char *wanted, const struct device *device)
{
    if (!wanted || !*wanted || strcasecmp(wanted, device->type) == 0) // CPU or GPU
        // on hardware lanes the steps differ most
        return device->is_gpu                                                   ? 0
               : device->is_cpu && device->sub_groups == SUB_GROUPS_IN_HARDWARE ? 1
                                                                                : 2;
    if (strspn(wanted, "0123456789") == strlen(wanted))
        return strtoul(wanted, NULL, 10) == (unsigned long)device->number ? 0 : SIZE_MAX;
    // A CPU's brand may occur in several names. The best match is the name in which the text occurs
    // earliest.
    const char *found = strcasestr(device->name, wanted);
    return found ? (size_t)(found - device->name) : SIZE_MAX;
}

static const struct device *choose_device(const struct device *devices, int count,
                                          const char *wanted)
{
    const struct device *nearest = devices;
    if (count == 0)
        fail("no OpenCL device found: `make deps` installs one; pocl, if it is installed, must be "
             "able to write to HOME or POCL_CACHE_DIR; ./step00 shows what it finds");
    for (const struct device *device = devices; device < devices + count; device++)
        if (distance_from(wanted, device) < distance_from(wanted, nearest))
            nearest = device;
    if (distance_from(wanted, nearest) == SIZE_MAX)
        fail("no device '%s': --device and REDUCE_DEVICE accept a number from 0 to %d, part of a "
             "name "
             "that --list shows, cpu or gpu (pocl is missing if it cannot write to HOME or "
             "POCL_CACHE_DIR: ./step00 tells)",
             wanted, count - 1);
    return nearest;
}

void print_devices(const char *wanted)
{
    struct device devices[DEVICES_MAX];
    const int count = find_devices(devices);
    const struct device *only = wanted && *wanted ? choose_device(devices, count, wanted) : NULL;
    for (const struct device *device = devices; device < devices + count; device++)
        if (!only || device == only)
            printf("%d  %s  %s, %u compute units\n", device->number, device->type, device->name,
                   device->compute_units);
    if (count == 0)
        printf("no OpenCL device: install one with `make deps`, then ask ./step00\n");
}

int find_device_in_turn(const char *wanted, int process)
{
    struct device devices[DEVICES_MAX];
    int equals[DEVICES_MAX] = { 0 }, equal_count = 0;
    wanted = wanted && *wanted ? wanted : getenv("REDUCE_DEVICE");
    const int count = find_devices(devices);
    const size_t least = distance_from(wanted, choose_device(devices, count, wanted));
    for (int d = 0; d < count; d++)
        if (distance_from(wanted, &devices[d]) == least)
            equals[equal_count++] = d;
    return equals[process % equal_count];
}

const char *path_beside_program(const char *name)
{
    static char path[4140];
    char program[4096] = "";
    (void)!readlink("/proc/self/exe", program, sizeof program - 1);
    snprintf(path, sizeof path, "%s/%s", dirname(program), name);
    return path;
}

struct device open_device(const char *wanted)
{
    struct device devices[DEVICES_MAX];
    const int count = find_devices(devices);
    struct device device =
        *choose_device(devices, count, wanted && *wanted ? wanted : getenv("REDUCE_DEVICE"));
    cl_int status;
    device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clCreateContext");
    // The older call, because every runtime has it; Oclgrind has no other.
    device.profiled_queue =
        clCreateCommandQueue(device.context, device.id, CL_QUEUE_PROFILING_ENABLE, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clCreateCommandQueue");
    device.queue = device.profiled_queue;
    if (device.is_gpu)
        device.queue = clCreateCommandQueue(device.context, device.id, 0, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clCreateCommandQueue");

    const uint64_t gpu_least = 64 << 20, most = 512 << 20, cache = device.cache_bytes;
    device.evict_bytes = device.is_gpu && cache < gpu_least ? gpu_least
                         : cache < most                     ? cache
                                                            : most;
    // On a GPU more groups are no faster, and groups of a whole compute unit are slower.
    device.read_group_size = device.is_gpu ? 256 : 1;
    device.read_groups = (device.is_gpu ? 4 : 8) * device.compute_units; // by measurement
    device.sink_words = device.read_groups * device.read_group_size;
    device.sink = create_buffer(&device, device.sink_words * sizeof(cl_uint), "the read limit");
    const char *folder = getenv("REDUCE_KERNELS");
    if (snprintf(device.kernel_folder, sizeof device.kernel_folder, "%s",
                 folder && *folder ? folder : path_beside_program("kernels")) >=
        (int)sizeof device.kernel_folder)
        fail("REDUCE_KERNELS: no folder has a path of %zu characters", strlen(folder));
    return device;
}

void close_device(struct device *device)
{
    for (struct kernel *kernel = device->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        if (kernel->kernel)
            CL(clReleaseKernel(kernel->kernel));
        if (kernel->program)
            CL(clReleaseProgram(kernel->program));
        free(kernel->log);
        free(kernel);
    }
    if (device->evict_buffer)
        CL(clReleaseMemObject(device->evict_buffer));
    CL(clReleaseMemObject(device->sink));
    if (device->queue != device->profiled_queue)
        CL(clReleaseCommandQueue(device->queue));
    CL(clReleaseCommandQueue(device->profiled_queue));
    CL(clReleaseContext(device->context));
}

void require_group_size(const struct device *device, uint64_t group_size)
{
    if (group_size > device->largest_group)
        fail("--group %" PRIu64 ": this device has groups of at most %zu", group_size,
             device->largest_group);
}

void require_room(const struct device *device, uint64_t n, size_t element_bytes)
{
    const uint64_t room = device->buffer_bytes / element_bytes, guard = device->guard_elements;
    if (n > room || room - n < guard)
        fail("n = %" PRIu64 ": the buffers of this device, of at most %.3f GiB, hold %" PRIu64
             " elements",
             n, device->buffer_bytes / 0x1p30, room > guard ? room - guard : 0);
}

cl_mem create_buffer(const struct device *device, uint64_t bytes, const char *what)
{
    cl_int status;
    if (bytes > device->buffer_bytes)
        fail("%s needs %.3f GiB, but the buffers of this device hold at most %.3f GiB", what,
             bytes / 0x1p30, device->buffer_bytes / 0x1p30);
    cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    if (status != CL_SUCCESS)
        fail_in_opencl(status, "clCreateBuffer");
    return buffer;
}
