/* The matrices: Hilbert's, a random one, one of a file in Matrix Market's format. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct matrix {
    const char *name; // "hilbert", "random", or the file's
    uint64_t n;
    float *cells; // n x n, row by row
    // of an open file
    FILE *file;
    unsigned line;
    bool coordinate, symmetric;
    uint64_t entries;
};

/* Two steps, so that the size can be refused before there is memory for it. Both fail with one line
 * that names the place. */
struct matrix matrix_open(const char *name, uint64_t n); // n: of those that are no file
void matrix_fill(struct matrix *matrix, uint32_t seed);
