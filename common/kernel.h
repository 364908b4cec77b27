/* Kernels: from the text of a file to something that can be launched.
 *
 * The compiler reads the files when the program runs, so an edited kernel needs no rebuild. It
 * looks for an included file in the folder of the kernel's file first, then in kernels/. The files
 * of kernels/ include each other with <>. So a file in the kernel's own folder replaces the one of
 * kernels/ that has the same name, even where another file of kernels/ includes it. (pocl looks in
 * the working folder even before.) */
#pragma once

#include "device.h"
#include "operation.h"

/* What happens if reduce() does not compile: the program ends with the build log; or get_kernel()
 * returns NULL, with the log on standard error or without it. */
enum build_failure { BUILD_FAILURE_ENDS, BUILD_FAILURE_SHOWS_LOG, BUILD_FAILURE_IS_SILENT };

/* The function `name` of `file`, built with `options`; each file is built once for each set of
 * options. `file` is a path if it begins with '/' or '.'; otherwise it is a file in $REDUCE_KERNELS
 * or, if that is not set, in kernels/ beside the program. `file` and `name` must outlive the
 * device. */
const struct kernel *get_kernel(struct device *device, const char *file, const char *name,
                                const char *options, enum build_failure on_failure);

/* A kernel may name types itself ("float *in") instead of calling them input and value. Then it is
 * right for one type of element only, and out[] and scratch[] must have values of the operation's
 * size. Is it right for this operation? int is as good as uint, and a typedef is not looked into.
 * False: says so, as for a kernel that does not compile. */
bool takes_type(const struct kernel *kernel, const struct operation *operation,
                enum build_failure on_failure);

/* The kernel's file that the runtime is compiling, or NULL. For handlers of signals. */
extern const char *volatile file_being_compiled;

/* For kernels outside a plan, such as those of data.cl and limit.cl: run.c launches a plan's
 * stages. Launches at least `items` work-items in groups of `group_size`, or of the largest size
 * that the kernel allows. If `event` is not NULL, the caller releases it. */
void launch_kernel(cl_command_queue queue, const struct kernel *kernel, uint64_t items,
                   size_t group_size, cl_event *event);

/* The path of a file in this program's folder. Valid until the next call. */
const char *path_beside_program(const char *name);
