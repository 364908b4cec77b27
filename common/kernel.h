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
#include <stdio.h>

/* The function `name` of `file`, built with `options`; each file is built once for each set of
 * options. `file` is a path if it begins with '/' or '.'; otherwise it is a file in $REDUCE_KERNELS
 * or, if that is not set, in kernels/ beside the program. `file` and `name` must outlive the
 * device.
 *
 * If the device cannot use the function reduce(), its `kernel` is NULL, `why` says why, and `log`
 * has what the compiler says. Any other function ends the program then. */
const struct kernel *get_kernel(struct device *device, const char *file, const char *name,
                                const char *options);

/* The name of a kernel's file without a leading "./", as its user has typed it; but with it if the
 * rest would look like an option. */
const char *shown_name(const char *file);

/* Writes a text and a word, in quotes if a shell would not take it for one word. */
void write_quoted(FILE *to, const char *text, const char *word);

/* Prints kernel->log, the messages of the compiler, on standard error; nothing if it is NULL. */
void print_build_log(const struct kernel *kernel);

/* For kernels outside a plan, such as those of data.cl and limit.cl: run.c launches a plan's
 * stages. Launches at least `items` work-items in groups of `group_size`, or of the largest size
 * that the kernel allows. If `event` is not NULL, the caller releases it. */
void launch_kernel(cl_command_queue queue, const struct kernel *kernel, uint64_t items,
                   size_t group_size, cl_event *event);
