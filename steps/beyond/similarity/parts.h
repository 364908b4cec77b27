/* The parts of a round: each is one launch. A part has a kernel of its own, which is built with
 * what its operator and this device need, and a shape. */
#pragma once

#include "step.h"

struct solver;

enum kind { ROW_SUMS, MAXIMUM, EIGENVECTOR, STOP, NEXT_MATRIX, KINDS };

/* How the work-items of a launch share the matrix or the vector. The article has one work-item for
 * each cell, in groups along a row (CELLS), or one for each element of a vector (ITEMS). Ours has a
 * row of work-items for each four rows of the matrix, and several such rows in a group (FOUR_ROWS);
 * or one group for everything (ONE_GROUP). */
enum shape { CELLS, ITEMS, FOUR_ROWS, ONE_GROUP };

struct part { // of a round: one launch
    enum kind kind;
    const char *file, *function, *op, *type;
    enum shape shape;
};

enum {
    PARTS_MAX = 8,  // of one version
    ROW_FLOATS = 16 // the length of a row in memory is a multiple of this
};

struct prepared_part {
    const struct part *part;
    const struct kernel *kernel;
    size_t group_size;
};

/* FOUR_ROWS and ONE_GROUP are shapes of ours, the others are the article's. */
bool is_ours(const struct part *part);

/* The lanes of a sub-group. With the back end "khr" only the compiled kernel knows them. */
size_t find_lanes(const struct solver *solver, const struct part *part);

struct argument { // of a kernel
    size_t bytes;
    const void *value;
};
#define ARGUMENT(variable)                                                                         \
    {                                                                                              \
        sizeof(variable), &(variable)                                                              \
    }

/* Sets the arguments and launches the part's kernel. A kernel with one argument more receives local
 * memory, one float for each work-item. */
void launch_part(struct solver *solver, cl_command_queue queue, const struct part *part,
                 const struct argument *arguments, cl_uint count);

/* Fills an array with the identity of the part's operator, for atomics. */
void fill_with_identity(struct solver *solver, cl_command_queue queue, const struct part *part,
                        cl_mem array, uint64_t count);
