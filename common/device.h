/* OpenCL devices: finding them, choosing one, its queues. */
#ifndef DEVICE_H
#define DEVICE_H

#include "facts.h"

/* Every device of every platform; a platform without any is passed over. Returns how many; free()
 * *all. */
int device_list(struct device **all);
void device_print_list(const char *wanted);           // or only the one that is meant
const char *device_kind(const struct device *device); // "CPU", "GPU" or "other"

/* By number or by part of the name (any case); NULL or "": REDUCE_DEVICE, else a GPU, else a CPU
 * whose sub-groups are lanes of hardware, else the first. Fails with the list of devices if there
 * is no such one. */
struct device device_open(const char *wanted);
void device_close(struct device *device);

/* The same device on its queue with profiling. On a GPU what goes through that one takes 10 us and
 * more longer on the wall, so that wall times and the device's own are taken apart there. */
struct device device_profiled(const struct device *device);

#endif
