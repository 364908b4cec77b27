/* A round has several parts, and each part is one launch. A part has a shape and a kernel, which is
 * built with the options that its operator and this device need. */
#pragma once

#include "step.h"

struct solver;

enum part_kind { ROW_SUMS, MAXIMUM, EIGENVECTOR, STOP, NEXT_MATRIX, PART_KINDS };

/* How the work-items of a launch share the matrix or the vector. The article has one work-item for
 * each cell, in groups along a row (CELLS), or one work-item for each element of a vector (ITEMS).
 * Our version has a row of work-items for each four rows of the matrix, and several such rows of
 * work-items in a group (FOUR_ROWS). Or it has one group for everything (ONE_GROUP). */
enum shape { CELLS, ITEMS, FOUR_ROWS, ONE_GROUP };

struct part { // one launch of a round
    enum part_kind kind;
    const char *file, *function, *op, *type;
    enum shape shape;
};

enum {
    PARTS_MAX = 8,  // most parts of one version
    ROW_FLOATS = 16 // the length of a row in memory is a multiple of this
};

struct prepared_part {
    const struct part *part;
    const struct kernel *kernel;
    size_t group_size;
};

/* Returns whether the part belongs to our version: its shape is FOUR_ROWS or ONE_GROUP. */
bool is_ours(const struct part *part);

/* Returns the lanes of a sub-group. For the back end "khr" it asks the compiled kernel. */
size_t find_lanes(const struct solver *solver, const struct part *part);

struct argument { // of a kernel
    size_t bytes;
    const void *value;
};
#define ARGUMENT(variable)                                                                         \
    (struct argument) { sizeof(variable), &(variable) }

/* Sets the arguments and launches the part's kernel. If the kernel has one argument more, this
 * argument is local memory, with one float for each work-item. */
void launch_part(struct solver *solver, cl_command_queue queue, const struct part *part,
                 const struct argument *arguments, cl_uint count);

/* Fills an array with the identity of the part's operator, for atomics. */
void fill_with_identity(struct solver *solver, cl_command_queue queue, const struct part *part,
                        cl_mem array, uint64_t count);
