/* Finding and choosing a device. Nothing here assumes that a platform has devices, or that the
 * first device is the right one: workshops meet both.
 */
#define _GNU_SOURCE // strcasestr
#include "device.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool contains(const char *text, const char *part) { return strcasestr(text, part) != NULL; }

int device_list(struct device **all)
{
    enum { MOST = 64 };
    cl_uint platforms = 0, devices;
    int count = 0;
    cl_platform_id platform[MOST];
    cl_device_id id[MOST];
    cl_int status = clGetPlatformIDs(MOST, platform, &platforms), bad = CL_SUCCESS;
    *all = NULL;
    if (status != CL_PLATFORM_NOT_FOUND_KHR) // the loader's way of saying that there is none
        check_cl(status, "clGetPlatformIDs");
    for (cl_uint p = 0; p < platforms && p < MOST; p++) {
        status = clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, MOST, id, &devices);
        if (status != CL_SUCCESS && status != CL_DEVICE_NOT_FOUND) // none is no error
            bad = status;
        for (cl_uint d = 0; status == CL_SUCCESS && d < devices && d < MOST; d++, count++) {
            *all = reallocate(*all, (count + 1) * sizeof **all);
            (*all)[count] = device_facts(platform[p], id[d], count);
        }
    }
    if (count == 0) // else a broken platform does not hide the others
        check_cl(bad, "clGetDeviceIDs");
    return count;
}

static bool on_platform(const struct device *device, const char *name)
{
    char platform[sizeof device->name];
    snprintf(platform, sizeof platform, "%.*s", (int)(strstr(device->name, " / ") - device->name),
             device->name);
    return contains(platform, name);
}

/* The index of the device with that number or name, or -1. */
static int find(const struct device *all, int count, const char *wanted)
{
    if (strspn(wanted, "0123456789") == strlen(wanted))
        return atol(wanted) < count ? (int)atol(wanted) : -1;
    for (int i = 0; i < count; i++) // first: a CPU's brand may stand in many devices' names
        if (on_platform(&all[i], wanted))
            return i;
    for (int i = 0; i < count; i++)
        if (contains(all[i].name, wanted))
            return i;
    return -1;
}

/* Without a wish: where a beginner sees most. */
static int usual(const struct device *all, int count)
{
    for (int i = 0; i < count; i++)
        if (all[i].gpu)
            return i;
    for (int i = 0; i < count; i++)
        if (all[i].cpu && all[i].sub_groups && !all[i].emulated)
            return i;
    return 0;
}

const char *device_kind(const struct device *device)
{
    return device->cpu ? "CPU" : device->gpu ? "GPU" : "other";
}

void device_print_list(const char *wanted)
{
    struct device *all;
    const bool one = wanted && *wanted;
    int count = device_list(&all), only = one ? find(all, count, wanted) : -1;
    if (one && only < 0)
        fail("--device: no device '%s': --list alone shows all", wanted);
    for (int i = 0; i < count; i++)
        if (!one || i == only)
            printf("%d  %s  %s, %u compute units\n", i, device_kind(&all[i]), all[i].name,
                   all[i].compute_units);
    if (count == 0)
        printf("no OpenCL device: install one with `make deps`, then ask ./step00\n");
    free(all);
}

/* The one that is meant, without a context. */
static struct device device_meant(const char *wanted)
{
    const char *said_by = "--device";
    struct device *all;
    const int count = device_list(&all);
    if (count == 0)
        fail("no OpenCL device found: `make deps` installs one; pocl, if it is there, must be able "
             "to write to HOME or POCL_CACHE_DIR; ./step00 says what it sees");
    if (!wanted || !*wanted) { // an empty variable is as good as none
        wanted = getenv("REDUCE_DEVICE");
        said_by = "REDUCE_DEVICE";
    }
    int index = wanted && *wanted ? find(all, count, wanted) : usual(all, count);
    if (index < 0)
        fail("%s: no device '%s': give a number from 0 to %d or part of a name that --list shows%s",
             said_by, wanted, count - 1,
             contains("pocl", wanted)
                 ? " (pocl hides where it cannot write to HOME or POCL_CACHE_DIR)"
                 : "");
    struct device device = all[index];
    free(all);
    return device;
}

static cl_command_queue new_queue(const struct device *device, cl_command_queue_properties wanted)
{
    const cl_queue_properties properties[] = { CL_QUEUE_PROPERTIES, wanted, 0 };
    cl_command_queue queue;
    cl_int status;
    if (strncmp(device->version, "OpenCL 1", 8) == 0) { // Oclgrind has the older call only
        queue = clCreateCommandQueue(device->context, device->id, wanted, &status);
        check_cl(status, "clCreateCommandQueue");
    } else {
        queue =
            clCreateCommandQueueWithProperties(device->context, device->id, properties, &status);
        check_cl(status, "clCreateCommandQueueWithProperties");
    }
    return queue;
}

struct device device_open(const char *wanted)
{
    struct device device = device_meant(wanted);
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
