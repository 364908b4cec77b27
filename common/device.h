/* OpenCL devices: what they are and can, choosing one, its queues. */
#pragma once

#include "fail.h"
#include <stdint.h>

struct kernels { // compiled for a device so far: see program.h
    struct kernel *first;
    // a reduce() that does not compile: its log and the end; or NULL, with the log shown or not
    enum { FAIL, SHOW_LOG, HIDE_LOG } if_broken;
};

struct device {
    cl_device_id id;
    // From device_open on. Both queues keep the order. The events of `profiled` have times, by the
    // device's clock; on a GPU what goes through it takes 10 us and more longer on the wall, so
    // there `queue` is another. On CPUs they are one queue.
    cl_context context;
    cl_command_queue queue, profiled;
    struct kernels *kernels;

    int number;       // as --list shows it
    char name[256];   // "platform [SUFFIX] / device"
    const char *kind; // "CPU", "GPU" or "other"
    char driver[128], version[128];
    bool cpu, gpu;
    bool simulated; // by Oclgrind, which sees each access to memory
    unsigned compute_units;
    unsigned c_version;                               // OpenCL C 1.2 is 120
    unsigned vector_ints;                             // of 32 bits in a vector register
    size_t group_limit;                               // work-items of a group
    cl_ulong local_bytes, memory_bytes, buffer_bytes; // all of it; the largest single buffer
    cl_ulong cache_bytes; // as OpenCL has it: on CPUs last_level_cache() knows more

    bool doubles;                           // fp64
    bool atomics64, atomics64_min;          // cl_khr_int64_base_atomics, …_extended_atomics
    cl_ulong float_atomics, double_atomics; // cl_ext_float_atomics: its capability bits
    bool work_group_collectives;            // work_group_reduce_…
    // OpenCL 2.1 / 3.0 feature or cl_khr_subgroups; emulated: they are no lanes of hardware
    enum { NO_SUB_GROUPS, EMULATED, HARDWARE } sub_groups;
    size_t sub_group_sizes[16]; // that can be chosen, by Intel's extensions; 0 ends them
    unsigned nvidia; // major compute capability; 0: too old for us, or not NVIDIA's compiler
};

void device_print_list(const char *wanted); // or only the one that is meant

/* By number or by part of the name (any case); NULL or "": REDUCE_DEVICE, else a GPU, else a CPU
 * whose sub-groups are lanes of hardware, else the first. Fails if there is no such one. */
struct device device_open(const char *wanted);
void device_close(struct device *device); // once its kernels are released
