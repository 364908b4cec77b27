/* What was measured, for people and for gnuplot. */
#pragma once

#include "arguments.h"
#include "measured.h"

void print_head(const struct arguments *arguments, const struct measured *versions);
void print_versions(const struct measured *versions, int count);

/* Three files, each whole after each n: 12_parts.dat, 12_solve.dat, 12_bounds.dat. */
struct written {
    const struct arguments *arguments;
    char *text[3]; // so far
};
void write_versions(struct written *written, const struct measured *versions, int count);
