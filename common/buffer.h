/* Arrays on the device: made, written and read here. Sizes in bytes; each call waits, but for
 * buffer_fill. */
#pragma once

#include "device.h"

/* Its contents are undefined. Fails, naming `what`, if there is no room. */
cl_mem buffer_create(const struct device *device, uint64_t bytes, const char *what);
void buffer_fill(const struct device *device, cl_mem buffer, const void *pattern,
                 size_t pattern_bytes, uint64_t offset, uint64_t bytes);
void buffer_write(const struct device *device, cl_mem buffer, uint64_t offset, uint64_t bytes,
                  const void *from);
void buffer_read(const struct device *device, cl_mem buffer, uint64_t offset, uint64_t bytes,
                 void *to);

/* Its first bytes, for reading. */
void *buffer_map(const struct device *device, cl_mem buffer, uint64_t bytes);
void buffer_unmap(const struct device *device, cl_mem buffer, void *mapped);

double now(void); // seconds, of the host, monotonic

/* The soonest way of one value to the host. Returns when it was there, by now(). */
double buffer_fetch(const struct device *device, cl_mem buffer, uint64_t bytes, void *to);
