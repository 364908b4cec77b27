/* One checked call each. */
#include "buffer.h"

#include <string.h>
#include <time.h>

cl_mem buffer_create(const struct device *device, uint64_t bytes, const char *what)
{
    cl_int status;
    if (bytes > device->buffer_bytes)
        fail("%s needs %.3f GiB, but this device has buffers of at most %.3f GiB", what,
             bytes / 0x1p30, device->buffer_bytes / 0x1p30);
    cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    check_cl(status, "clCreateBuffer");
    return buffer;
}

void buffer_fill(const struct device *device, cl_mem buffer, const void *pattern,
                 size_t pattern_bytes, uint64_t offset, uint64_t bytes)
{
    CL(clEnqueueFillBuffer(device->queue, buffer, pattern, pattern_bytes, offset, bytes, 0, NULL,
                           NULL));
}

void buffer_write(const struct device *device, cl_mem buffer, uint64_t offset, uint64_t bytes,
                  const void *from)
{
    CL(clEnqueueWriteBuffer(device->queue, buffer, CL_TRUE, offset, bytes, from, 0, NULL, NULL));
}

void buffer_read(const struct device *device, cl_mem buffer, uint64_t offset, uint64_t bytes,
                 void *to)
{
    CL(clEnqueueReadBuffer(device->queue, buffer, CL_TRUE, offset, bytes, to, 0, NULL, NULL));
}

void *buffer_map(const struct device *device, cl_mem buffer, uint64_t bytes)
{
    cl_int status;
    void *mapped = clEnqueueMapBuffer(device->queue, buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0,
                                      NULL, NULL, &status);
    check_cl(status, "clEnqueueMapBuffer");
    return mapped;
}

void buffer_unmap(const struct device *device, cl_mem buffer, void *mapped)
{
    CL(clEnqueueUnmapMemObject(device->queue, buffer, mapped, 0, NULL, NULL));
    CL(clFinish(device->queue)); // what comes next may come on another queue
}

double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

double buffer_fetch(const struct device *device, cl_mem buffer, uint64_t bytes, void *to)
{
    if (!device->gpu) {
        buffer_read(device, buffer, 0, bytes, to);
        return now();
    }
    void *mapped = buffer_map(device, buffer, bytes); // here some microseconds sooner than read
    memcpy(to, mapped, bytes);
    const double there = now();
    buffer_unmap(device, buffer, mapped);
    return there;
}
