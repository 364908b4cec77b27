/* Rows for gnuplot: one file per variant, operator and type. README.md says what stands in it. */
#pragma once

#include "measure.h"
#include "session.h"
#include <stdio.h>

struct data_file { // stays where it is: the stream points into it
    char path[4096];
    FILE *memory; // all of it so far: text; NULL: no row yet
    char *text;
    size_t length;
};

/* Makes that folder, if there is none. Fails if nothing can be written into it. */
void data_folder(const char *folder);

/* Writes a data file: how many rows it has, as one may be cut short later; then the text: comments,
 * the names of the columns, rows. It is there whole, or as it was before: then this fails. */
void write_data(const char *path, const char *text);

/* Lines of a file's head: the date, and on which device. */
void data_device(FILE *to, const struct device *device);

/* The first row names the file after what was run. data_close does nothing if there was none. */
void data_row(struct data_file *file, const struct session *session, const struct run *run,
              const struct row *row, uint64_t evict_bytes);
void data_comment(struct data_file *file, const char *comment);
void data_close(struct data_file *file);
