/* The matrix A: Hilbert's, a random one, or one from a file in Matrix Market format. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct matrix {
    const char *name; // "hilbert", "random", or the file's
    uint64_t n;       // rows and columns
    float *cells;     // n x n, row by row

    // of an open file
    FILE *file;
    unsigned line; // the number of the line that was read last
    bool is_coordinate, is_symmetric;
    uint64_t entries;
};

/* Opening reads no more than the size, so that the caller can refuse a matrix that is too large
 * before there is memory for it. A file has its own n. Both functions fail with the line of the
 * mistake. */
struct matrix open_matrix(const char *name, uint64_t n);
void fill_matrix(struct matrix *matrix, uint32_t seed);
