/* Finding and choosing a device. Nothing here assumes that a platform has devices, that a query is
 * known, or that the first device is the right one: workshops meet all three.
 */
#include "device.h"

#include "lanes.h"
#include <CL/cl_ext.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INFO(id, what, target) CL(clGetDeviceInfo(id, what, sizeof(target), &(target), NULL))

/* Facts that older platforms do not know stay 0: their error is not one. */
#define INFO_IF_KNOWN(id, what, target)                                                            \
    (void)clGetDeviceInfo(id, what, sizeof(target), &(target), NULL)

static bool contains(const char *text, const char *part) // any case
{
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

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
static void read_optional_facts(struct device *device, const char *extensions)
{
    cl_uint count = 0, major = 0, minor = 0;
    cl_bool collectives = CL_FALSE;
    INFO_IF_KNOWN(device->id, CL_DEVICE_MAX_NUM_SUB_GROUPS, count);
    INFO_IF_KNOWN(device->id, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, collectives);
    // cl_ext_float_atomics' queries, which Debian 12's headers do not name yet: for float, for
    // double.
    INFO_IF_KNOWN(device->id, 0x4231, device->float_atomics);
    INFO_IF_KNOWN(device->id, 0x4232, device->double_atomics);
    device->atomics64 = contains(extensions, "cl_khr_int64_base_atomics");
    device->atomics64_min = contains(extensions, "cl_khr_int64_extended_atomics");
    device->doubles = contains(extensions, "cl_khr_fp64");
    device->work_group_collectives = collectives || device->c_version == 200;
    device->sub_groups =
        device->c_version >= 200 && (count > 0 || contains(extensions, "cl_khr_subgroups"));
    device->intel_sub_groups = contains(extensions, "cl_intel_subgroups") &&
                               contains(extensions, "cl_intel_required_subgroup_size");
    INFO_IF_KNOWN(device->id, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, major);
    INFO_IF_KNOWN(device->id, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, minor);
    // Others, pocl too, answer these for the same hardware; only NVIDIA's own compiler takes its
    // assembly as it is.
    device->nvidia =
        major >= 3 && strncmp(device->name, "NVIDIA CUDA", 11) == 0 ? major * 10 + minor : 0;
    device->intel_platform = strncmp(device->name, "Intel", 5) == 0;
    if (device->intel_sub_groups)
        INFO_IF_KNOWN(device->id, CL_DEVICE_SUB_GROUP_SIZES_INTEL, device->sub_group_sizes);
}

/* All facts about one device, in the names that the rest of the harness uses. */
static struct device describe(cl_platform_id platform, cl_device_id id)
{
    struct device device = { .id = id };
    char platform_name[100], suffix[24] = "";
    CL(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, NULL));
    (void)clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix, suffix, NULL);
    char *name = device_text(id, CL_DEVICE_NAME), *driver = device_text(id, CL_DRIVER_VERSION);
    char *version = device_text(id, CL_DEVICE_VERSION),
         *c = device_text(id, CL_DEVICE_OPENCL_C_VERSION);
    char *extensions = device_text(id, CL_DEVICE_EXTENSIONS);
    snprintf(device.name, sizeof device.name, "%s [%s] / %s", platform_name, suffix, name);
    snprintf(device.driver, sizeof device.driver, "%s", driver);
    snprintf(device.version, sizeof device.version, "%s", version);

    unsigned major = 1, minor = 0;
    if (sscanf(version, "OpenCL %u", &major) != 1 ||
        major < 3) // 3.0 has C 3.0, whatever it says for old programs
        sscanf(c, "OpenCL C %u.%u", &major, &minor);
    device.c_version = major * 100 + minor * 10;

    cl_device_type type;
    INFO(id, CL_DEVICE_TYPE, type);
    device.cpu = type & CL_DEVICE_TYPE_CPU;
    device.gpu = type & CL_DEVICE_TYPE_GPU;
    device.simulated = strstr(device.name, "Oclgrind") != NULL;
    INFO(id, CL_DEVICE_MAX_COMPUTE_UNITS, device.compute_units);
    INFO(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, device.vector_ints);
    INFO(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, device.group_limit);
    size_t limits[16]; // at least three dimensions; we use two
    INFO(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, limits);
    memcpy(device.group_limits, limits, sizeof device.group_limits);
    INFO(id, CL_DEVICE_LOCAL_MEM_SIZE, device.local_bytes);
    INFO(id, CL_DEVICE_GLOBAL_MEM_SIZE, device.memory_bytes);
    INFO(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, device.buffer_bytes);
    INFO(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, device.cache_bytes);
    if (device.cpu && system_cache())
        device.cache_bytes = system_cache();
    read_optional_facts(&device, extensions);

    free(name), free(driver), free(version), free(c), free(extensions);
    return device;
}

int device_list(struct device **all)
{
    cl_uint platforms = 0, count = 0;
    cl_platform_id platform[64];
    *all = NULL;
    cl_int status = clGetPlatformIDs(64, platform, &platforms), bad = CL_SUCCESS;
    if (status != CL_PLATFORM_NOT_FOUND_KHR) // the loader's way of saying that there is none
        check_cl(status, "clGetPlatformIDs");
    for (cl_uint p = 0; p < platforms && p < 64; p++) {
        cl_device_id id[64];
        cl_uint devices = 0;
        status = clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, 64, id, &devices);
        if (status != CL_SUCCESS &&
            status != CL_DEVICE_NOT_FOUND) // that one is normal to hear from a platform
            bad = status;
        for (cl_uint d = 0; status == CL_SUCCESS && d < devices && d < 64; d++) {
            *all = reallocate(*all, (count + 1) * sizeof **all);
            (*all)[count] = describe(platform[p], id[d]);
            (*all)[count].number = (int)count;
            count++;
        }
    }
    if (count == 0) // else a broken platform does not hide the others
        check_cl(bad, "clGetDeviceIDs");
    return (int)count;
}

/* The index of the wanted device, or -1. Without a wish: where a beginner sees most. */
static int choose(const struct device *all, int count, const char *wanted)
{
    if (wanted && *wanted) {
        if (strspn(wanted, "0123456789") == strlen(wanted))
            return atol(wanted) < count ? (int)atol(wanted) : -1;
        for (int i = 0; i < count;
             i++) { // the platform's name first: a CPU's brand may stand in many devices' names
            char platform[sizeof all[i].name];
            snprintf(platform, sizeof platform, "%.*s",
                     (int)(strstr(all[i].name, " / ") - all[i].name), all[i].name);
            if (contains(platform, wanted))
                return i;
        }
        for (int i = 0; i < count; i++)
            if (contains(all[i].name, wanted))
                return i;
        return -1;
    }
    for (int i = 0; i < count; i++)
        if (all[i].gpu)
            return i;
    for (int i = 0; i < count; i++)
        if (all[i].cpu && has_lanes(&all[i]))
            return i;
    return 0;
}

void device_print_list(const char *wanted)
{
    struct device *all;
    int count = device_list(&all), only = wanted && *wanted ? choose(all, count, wanted) : -1;
    if (wanted && *wanted && only < 0)
        fail("--device: no device '%s': --list alone shows all", wanted);
    for (int i = 0; i < count; i++)
        if (only < 0 || i == only)
            printf("%d  %s  %s, %u compute units\n", i,
                   all[i].cpu   ? "CPU"
                   : all[i].gpu ? "GPU"
                                : "other",
                   all[i].name, all[i].compute_units);
    if (count == 0)
        printf("no OpenCL device: install one with `make deps`, then ask ./step00\n");
    free(all);
}

static cl_command_queue new_queue(const struct device *device, cl_command_queue_properties wanted)
{
    const cl_queue_properties properties[] = { CL_QUEUE_PROPERTIES, wanted, 0 };
    bool old =
        strncmp(device->version, "OpenCL 1", 8) == 0; // as Oclgrind says: it has no newer call
    cl_int status;
    cl_command_queue queue =
        old ? clCreateCommandQueue(device->context, device->id, wanted, &status)
            : clCreateCommandQueueWithProperties(device->context, device->id, properties, &status);
    check_cl(status, old ? "clCreateCommandQueue" : "clCreateCommandQueueWithProperties");
    return queue;
}

struct device device_open(const char *wanted)
{
    struct device *all;
    int count = device_list(&all);
    if (count == 0)
        fail("no OpenCL device found: `make deps` installs one; pocl, if it is there, must be able "
             "to write to HOME or "
             "POCL_CACHE_DIR; ./step00 says what it sees");
    const char *said_by = "--device";
    if (!wanted || !*wanted) { // an empty variable is as good as none
        wanted = getenv("REDUCE_DEVICE");
        said_by = "REDUCE_DEVICE";
    }
    int index = choose(all, count, wanted);
    if (index < 0)
        fail("%s: no device '%s': give a number from 0 to %d or part of a name that --list shows%s",
             said_by, wanted, count - 1,
             contains("pocl", wanted)
                 ? " (pocl hides where it cannot write to HOME or POCL_CACHE_DIR)"
                 : "");
    struct device device = all[index];
    free(all);

    device.emulated = device.sub_groups && !has_lanes(&device);
    cl_int status;
    device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);
    check_cl(status, "clCreateContext");
    device.profiled = new_queue(&device, CL_QUEUE_PROFILING_ENABLE);
    device.queue = device.gpu ? new_queue(&device, 0) : device.profiled;
    return device;
}

struct device device_profiled(const struct device *device)
{
    struct device same = *device;
    same.queue = device->profiled;
    return same;
}

void device_close(struct device *device)
{
    if (device->queue != device->profiled)
        CL(clReleaseCommandQueue(device->queue));
    CL(clReleaseCommandQueue(device->profiled));
    CL(clReleaseContext(device->context));
}
