/* Arrays on the device: the one place that makes, fills and reads them. */
#include "device.h"

#include <string.h>

cl_mem buffer_create(const struct device *device, uint64_t bytes, const char *what)
{
    cl_int status;
    if (bytes > device->buffer_bytes || bytes > device->memory_bytes)
        fail("%s needs %.3f GiB, but this device has buffers of at most %.3f GiB", what, bytes / 0x1p30,
             device->buffer_bytes / 0x1p30);
    cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    check_cl(status, "clCreateBuffer");
    return buffer;
}

void buffer_fill(const struct device *device, cl_mem buffer, const void *pattern, size_t pattern_bytes, uint64_t offset,
                 uint64_t bytes)
{
    CL(clEnqueueFillBuffer(device->queue, buffer, pattern, pattern_bytes, offset, bytes, 0, NULL, NULL));
}

void buffer_read(const struct device *device, cl_mem buffer, uint64_t offset, uint64_t bytes, void *to)
{
    if (!device->gpu || bytes > 64) {
        CL(clEnqueueReadBuffer(device->queue, buffer, CL_TRUE, offset, bytes, to, 0, NULL, NULL));
        return;
    }
    // A few bytes from a GPU: to map them is some microseconds faster than to read them. On CPUs it is slower.
    cl_int status;
    void *from = clEnqueueMapBuffer(device->queue, buffer, CL_TRUE, CL_MAP_READ, offset, bytes, 0, NULL, NULL, &status);
    check_cl(status, "clEnqueueMapBuffer");
    memcpy(to, from, bytes);
    CL(clEnqueueUnmapMemObject(device->queue, buffer, from, 0, NULL, NULL));
}
