/* Results as text for people, and as data files for gnuplot. */
#pragma once

#include "arguments.h"
#include "versions.h"

void print_head(const struct arguments *arguments, const struct measured_version *version);
void print_versions(const struct measured_version *versions, int count);

enum { DATA_FILES = 3 };

struct data_texts { // all members are 0 if there are no rows yet
    const struct arguments *arguments;
    char *text[DATA_FILES]; // all sizes so far, without the last line; free() it
};

/* Adds the rows of one size to 12_parts.dat, 12_solve.dat and 12_bounds.dat. It replaces each file
 * as a whole, so a reader of the file never sees only some of the rows of a size. */
void write_versions(struct data_texts *data, const struct measured_version *versions, int count);
