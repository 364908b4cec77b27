/* Kernels: their text is read when the program runs, so an edited one needs no rebuild. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "device.h"

struct kernel {
    cl_program program;   // of all kernels with the same file and options
    cl_kernel kernel;     // NULL: it did not compile
    cl_uint arguments;    // 4: takes scratch too
    size_t group_limit;   // of this kernel on this device
    cl_ulong local_bytes; // that it uses by itself
    uint32_t checksum;    // of the whole text that this one was built from (FNV-1a)
    const char *file, *name;
    char options[300];
    bool owns_program; // the first of them
    struct kernel *next;
};

struct kernels { // each file is built once per set of options
    const struct device *device;
    bool forgiving; // a reduce() that does not compile is no kernel, and not the end
    bool log_shown; // of such a one: once is enough
    struct kernel *first;
};

/* The function `name` of `file`, found as source.h says; both names are kept, not copied. Fails
 * with the whole build log, or returns NULL, if kernels->forgiving; shows the warnings of a build
 * that succeeds. */
struct kernel *kernel_get(struct kernels *kernels, const char *file, const char *name,
                          const char *options);
void kernels_release(struct kernels *kernels);

/* Of (size, pointer) pairs, ended by 0: kernel_set(k, sizeof(cl_mem), &in, …, (size_t)0). */
void kernel_set(const struct kernel *kernel, ...);

/* Enqueues; *event (if not NULL) is the caller's to release. local[] must divide global[]. */
void kernel_launch(const struct device *device, const struct kernel *kernel, cl_uint dimensions,
                   const size_t *global, const size_t *local, cl_event *event);

#endif
