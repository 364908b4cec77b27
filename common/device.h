/* OpenCL devices: what each can do, how one is chosen, its queues, and its memory. */
#pragma once

#include "fail.h"
#include <stdint.h>

enum {                     // sizes of guards; read_facts() decides whether a device has guards
    GUARD_ELEMENTS = 4096, // after the input: reading one changes the result
    GUARD_VALUES = 64      // after each array of values: no kernel may change them
};

enum sub_groups { SUB_GROUPS_NONE, SUB_GROUPS_EMULATED, SUB_GROUPS_IN_HARDWARE };

struct kernel {
    cl_kernel kernel; // NULL: the device cannot use it, and `why` says why
    char why[400];
    char *log; // of the compiler, if the kernel does not compile; otherwise NULL
    cl_uint argument_count;
    size_t largest_group;       // of this kernel on this device
    size_t required_group_size; // by reqd_work_group_size; 0: any
    cl_ulong local_bytes;       // local memory that the kernel declares itself
    // the rest is for kernel.c
    cl_program program; // shared by all kernels of one file and the same options
    const char *file, *name;
    char options[300];
    int own_folder; // the number of the folder of `file` in the log: /proc/self/fd/NUMBER
    struct kernel *next;
};

struct device {
    cl_device_id id;
    int number;       // as --list prints it
    char name[256];   // "platform [SUFFIX] / device"
    const char *type; // "CPU", "GPU" or "other"
    char driver[128], version[128];
    bool is_cpu, is_gpu;
    bool is_simulated; // by Oclgrind, which sees every access to memory
    unsigned compute_units;
    unsigned c_version;    // of OpenCL C: 120 is 1.2
    unsigned vector_ints;  // ints that a vector register holds
    size_t largest_group;  // in work-items
    cl_ulong local_bytes;  // local memory of a work-group
    cl_ulong memory_bytes; // global memory
    cl_ulong buffer_bytes; // the largest single buffer
    uint64_t cache_bytes;  // of the last-level cache
    // after the input and after each array; 0 inside Oclgrind, which sees each access there
    uint64_t guard_elements, guard_values;

    bool has_doubles;
    bool has_atomics64, has_atomics64_min;  // cl_khr_int64_base_atomics, …_extended_atomics
    cl_ulong float_atomics, double_atomics; // capability bits of cl_ext_float_atomics
    bool has_work_group_reduce;
    enum sub_groups sub_groups;
    size_t sub_group_sizes[16]; // sizes that a kernel may ask for (Intel), ascending; 0 ends them
    unsigned nvidia;            // major compute capability; 0: not NVIDIA's compiler, or too old

    /* From open_device() on. Both queues keep the order of their commands. Commands in
     * `profiled_queue` have times by the device's clock. On a GPU that makes the wall time some 10
     * us longer, so `queue` is another one there. On other devices the two are the same. */
    cl_context context;
    cl_command_queue queue, profiled_queue;
    char kernel_folder[4200]; // $REDUCE_KERNELS, or kernels/ beside the program
    struct kernel *kernels;   // built so far: see kernel.h

    // From open_device() on, for measure.h. A program may change the first one before it measures.
    uint64_t evict_bytes;                // written to make the cache cold; 0: it stays warm
    size_t read_groups, read_group_size; // of the program that only reads, at most
    size_t sink_words;                   // of 32 bits, in sink: one for each of its work-items
    cl_mem sink;                         // the results of kernels that only measure
    cl_mem evict_buffer;                 // NULL until the cache is made cold
};

/* Prints all devices, or only the one that `wanted` names. */
void print_devices(const char *wanted);

/* `wanted` is a number or a part of the name, in any case. NULL or "" means: REDUCE_DEVICE,
 * otherwise a GPU, otherwise a CPU whose sub-groups are lanes of hardware, otherwise the first
 * device. Fails if there is no such device.
 *
 * evict_bytes becomes the size of the last-level cache, but at least 64 MiB on a GPU, and at most
 * 512 MiB. */
struct device open_device(const char *wanted);

/* For processes that share the devices of a machine. If several devices match equally well, process
 * 0 gets the first of them, process 1 the second, and so on, in turn. Returns the device's number.
 */
int find_device_in_turn(const char *wanted, int process);
void close_device(struct device *device); // and its kernels

/* Fails if the device has no groups of this size, or no buffer for n elements and the guard. */
void require_group_size(const struct device *device, uint64_t group_size);
void require_room(const struct device *device, uint64_t n, size_t element_bytes);

/* A buffer with undefined contents. Fails, with the name `what`, if the device has no room. */
cl_mem create_buffer(const struct device *device, uint64_t bytes, const char *what);

/* The path of a file in this program's folder. Valid until the next call. */
const char *path_beside_program(const char *name);
