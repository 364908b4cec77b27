/* OpenCL devices: finding them, choosing one, its facts, its queue, and the one place that makes
 * buffers. */
#ifndef DEVICE_H
#define DEVICE_H

#include "fail.h"
#include <stdint.h>

struct device {
    cl_device_id id;
    cl_context context; // from here: only after device_open
    cl_command_queue queue,
        profiled;   // in order; with the device's clock: on CPUs both are the same one
    int number;     // as --list shows it
    char name[256]; // "platform [SUFFIX] / device"
    char driver[128], version[128];
    bool cpu, gpu;
    bool simulated;                    // by Oclgrind, which sees each access to memory
    unsigned compute_units, c_version; // OpenCL C 1.2 is 120
    size_t group_limit, group_limits[3];
    cl_ulong local_bytes, memory_bytes, buffer_bytes; // all of it; the largest single buffer
    cl_ulong cache_bytes; // last-level cache: of the system on CPUs, of the device on GPUs
    bool sub_groups;      // OpenCL 2.1 / 3.0 feature or cl_khr_subgroups
    bool emulated;        // they are no lanes of hardware: lanes.h; after device_open
    unsigned nvidia;      // its compute capability: 90 is 9.0; 0: not NVIDIA's, or too old for what
                          // kernels/subgroup.clh does
    bool intel_sub_groups,
        intel_platform;            // cl_intel_subgroups and a chosen size; on Intel's platform
    bool atomics64, atomics64_min; // cl_khr_int64_base_atomics, …_extended_atomics
    cl_ulong float_atomics, double_atomics; // cl_ext_float_atomics: its capability bits
    bool doubles;                           // fp64
    bool work_group_collectives;            // work_group_reduce_…
    size_t sub_group_sizes[16];             // that can be chosen, 0 ends them
    unsigned vector_ints;                   // of 32 bits in a vector register
};

/* Every device of every platform; a platform without any is passed over. Returns how many; free()
 * *all. */
int device_list(struct device **all);
void device_print_list(const char *wanted); // or only the one that is meant

/* By number or by part of the name (any case); NULL or "": REDUCE_DEVICE, else a GPU, else a CPU
 * whose sub-groups are lanes of hardware, else the first. Fails with the list of devices if there
 * is no such one. */
struct device device_open(const char *wanted);
void device_close(struct device *device);

/* The same device on its queue with profiling. On a GPU what goes through that one takes 10 us and
 * more longer on the wall, so that wall times and the device's own are taken apart there. */
struct device device_profiled(const struct device *device);

/* Zeroed nowhere: what stands in a new buffer is for the caller to write. Fails, naming `what`, if
 * there is no room. */
cl_mem buffer_create(const struct device *device, uint64_t bytes, const char *what);
void buffer_fill(const struct device *device, cl_mem buffer, const void *pattern,
                 size_t pattern_bytes, uint64_t offset, uint64_t bytes);
void buffer_read(const struct device *device, cl_mem buffer, uint64_t offset, uint64_t bytes,
                 void *to);
void *buffer_map(const struct device *device, cl_mem buffer,
                 uint64_t bytes); // its first bytes, for reading
void buffer_unmap(const struct device *device, cl_mem buffer,
                  void *mapped); // nothing to do if that is NULL

/* The soonest way of one value to the host. Returns what buffer_unmap wants once the clock has
 * stopped. */
void *buffer_fetch(const struct device *device, cl_mem buffer, uint64_t bytes, void *to);

#endif
