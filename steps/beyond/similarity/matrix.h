/* The matrix A: Hilbert's, a random one, or one from a file in Matrix Market format. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct matrix {
    const char *name; // "hilbert", "random", or the path of a file
    uint64_t n;       // rows and columns
    float *cells;     // n x n, row by row

    // only for an open file
    FILE *file;
    unsigned line; // the number of the line that was read last
    bool is_coordinate, is_symmetric, is_integer;
    uint64_t entries;
};

/* open_matrix() reads only the size of a matrix, so that the caller can refuse a large matrix
 * before memory is allocated for it. If `name` is a file, n comes from the file. If a file has a
 * mistake, both functions fail, and the message contains the number of the line. */
struct matrix open_matrix(const char *name, uint64_t n);
void fill_matrix(struct matrix *matrix, uint32_t seed);
