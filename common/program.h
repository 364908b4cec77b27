/* Kernels: their text is read when the program runs, so an edited one needs no rebuild.
 *
 *   tree.cl   #include "operator.clh"   ->   #line 1 "operator.clh"
 *                                            its text
 *                                            #line 10 "tree.cl"
 *
 * So the OpenCL runtime needs no path, and its messages name the right file and line. */
#pragma once

#include "device.h"

struct kernel {
    cl_kernel kernel;     // NULL: it did not compile
    cl_uint arguments;    // 4: takes scratch too
    size_t group_limit;   // of this kernel on this device
    cl_ulong local_bytes; // that it uses by itself
    // the rest is for program.c
    cl_program program; // of the first kernel with this file and options; the others share it
    const char *file, *name;
    char options[300];
    struct kernel *next;
};

/* The function `name` of `file`, which is a path if it has a '/', else a file in $REDUCE_KERNELS,
 * or in kernels/ beside the program if that is not set. An #include is looked for beside it, then
 * there. Both names are kept, not copied. Each file is built once per set of options. Fails with
 * the whole build log, or returns NULL, as if_broken says; shows the warnings of a build that
 * succeeds, unless logs are hidden. */
const struct kernel *kernel_get(const struct device *device, const char *file, const char *name,
                                const char *options);
void kernels_release(const struct device *device);

/* The path of what stands in this program's folder, wherever it was called from: until the next
 * call. */
const char *beside_program(const char *name);

/* All arguments: kernel_set(kernel, ARRAY(in), NUMBER(n), ARRAY(out)), or a size and NULL for local
 * memory. What is more than the kernel takes is left out. */
#define ARRAY(buffer) sizeof(cl_mem), &(buffer)
#define NUMBER(number) sizeof(number), &(number)
void kernel_set(const struct kernel *kernel, ...);

/* So many work-items in groups of that size, or of the largest that the kernel takes; rounded up to
 * whole groups. *event (if not NULL) is the caller's to release. */
void kernel_launch(cl_command_queue queue, const struct kernel *kernel, uint64_t items,
                   size_t group, cl_event *event);

static inline uint64_t ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }
