/* What a device says about itself. Nothing here assumes that a query is known. */
#define _GNU_SOURCE // strcasestr
#include "facts.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INFO(id, what, target) CL(clGetDeviceInfo(id, what, sizeof(target), &(target), NULL))

/* Facts that older platforms do not know stay 0: their error is not one. */
#define INFO_IF_KNOWN(id, what, target)                                                            \
    (void)clGetDeviceInfo(id, what, sizeof(target), &(target), NULL)

static bool contains(const char *text, const char *part) { return strcasestr(text, part) != NULL; }

/* The last-level cache is the system's on a CPU; OpenCL often names a smaller one. */
static cl_ulong system_cache(void)
{
    cl_ulong largest = 0;
    for (int index = 0; index < 8; index++) {
        char path[80];
        unsigned long kibibytes;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        FILE *file = fopen(path, "r");
        if (!file)
            break;
        if (fscanf(file, "%luK", &kibibytes) == 1 && kibibytes * 1024 > largest)
            largest = kibibytes * 1024;
        fclose(file);
    }
    return largest;
}

/* A text of whatever length; free() it. */
static char *device_text(cl_device_id id, cl_device_info what)
{
    size_t bytes = 0;
    CL(clGetDeviceInfo(id, what, 0, NULL, &bytes));
    char *text = allocate(bytes + 1);
    CL(clGetDeviceInfo(id, what, bytes, text, NULL));
    return text;
}

/* What only some devices have. A query that the platform does not know leaves its fact at 0. */
static void read_optional_facts(struct device *device)
{
    char *extensions = device_text(device->id, CL_DEVICE_EXTENSIONS);
    cl_uint count = 0, major = 0, minor = 0;
    cl_bool collectives = CL_FALSE;
    INFO_IF_KNOWN(device->id, CL_DEVICE_MAX_NUM_SUB_GROUPS, count);
    INFO_IF_KNOWN(device->id, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, collectives);
    // cl_ext_float_atomics' two queries, which Debian 12's headers do not name yet.
    INFO_IF_KNOWN(device->id, 0x4231, device->float_atomics);
    INFO_IF_KNOWN(device->id, 0x4232, device->double_atomics);
    device->doubles = contains(extensions, "cl_khr_fp64");
    device->atomics64 = contains(extensions, "cl_khr_int64_base_atomics");
    device->atomics64_min = contains(extensions, "cl_khr_int64_extended_atomics");
    device->work_group_collectives = collectives || device->c_version == 200;
    device->sub_groups =
        device->c_version >= 200 && (count > 0 || contains(extensions, "cl_khr_subgroups"));
    device->intel_sub_groups = contains(extensions, "cl_intel_subgroups") &&
                               contains(extensions, "cl_intel_required_subgroup_size");
    device->intel_platform = strncmp(device->name, "Intel", 5) == 0;
    if (device->intel_sub_groups)
        INFO_IF_KNOWN(device->id, CL_DEVICE_SUB_GROUP_SIZES_INTEL, device->sub_group_sizes);
    // A CPU's sub-groups of a size that nobody can choose are no lanes of its hardware: pocl 5 and
    // later exchange values between them by barriers of the whole group, slower than our stand-in.
    device->emulated =
        device->sub_groups && device->cpu && !(device->intel_platform && device->intel_sub_groups);
    // Others, pocl too, answer these for the same hardware; only NVIDIA's own compiler takes its
    // assembly as it is.
    INFO_IF_KNOWN(device->id, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, major);
    INFO_IF_KNOWN(device->id, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, minor);
    if (major >= 3 && strncmp(device->name, "NVIDIA CUDA", 11) == 0)
        device->nvidia = major * 10 + minor;
    free(extensions);
}

/* What it is called, and of which version. */
static void read_names(struct device *device, cl_platform_id platform)
{
    char platform_name[100], suffix[24] = "";
    CL(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, NULL));
    (void)clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix, suffix, NULL);
    char *name = device_text(device->id, CL_DEVICE_NAME);
    char *driver = device_text(device->id, CL_DRIVER_VERSION);
    char *version = device_text(device->id, CL_DEVICE_VERSION);
    char *c = device_text(device->id, CL_DEVICE_OPENCL_C_VERSION);
    snprintf(device->name, sizeof device->name, "%s [%s] / %s", platform_name, suffix, name);
    snprintf(device->driver, sizeof device->driver, "%s", driver);
    snprintf(device->version, sizeof device->version, "%s", version);
    device->simulated = contains(device->name, "Oclgrind");

    unsigned major = 1, minor = 0;
    if (sscanf(version, "OpenCL %u", &major) != 1 || major < 3) // 3.0 has C 3.0, whatever it says
        sscanf(c, "OpenCL C %u.%u", &major, &minor);
    device->c_version = major * 100 + minor * 10;
    free(name), free(driver), free(version), free(c);
}

struct device device_facts(cl_platform_id platform, cl_device_id id, int number)
{
    struct device device = { .id = id, .number = number };
    cl_device_type type;
    size_t limits[16]; // at least three dimensions; we use two
    read_names(&device, platform);
    INFO(id, CL_DEVICE_TYPE, type);
    device.cpu = type & CL_DEVICE_TYPE_CPU;
    device.gpu = type & CL_DEVICE_TYPE_GPU;
    INFO(id, CL_DEVICE_MAX_COMPUTE_UNITS, device.compute_units);
    INFO(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, device.vector_ints);
    INFO(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, device.group_limit);
    INFO(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, limits);
    memcpy(device.group_limits, limits, sizeof device.group_limits);
    INFO(id, CL_DEVICE_LOCAL_MEM_SIZE, device.local_bytes);
    INFO(id, CL_DEVICE_GLOBAL_MEM_SIZE, device.memory_bytes);
    INFO(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, device.buffer_bytes);
    INFO(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, device.cache_bytes);
    if (device.cpu && system_cache())
        device.cache_bytes = system_cache();
    read_optional_facts(&device);
    return device;
}
