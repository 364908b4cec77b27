/* Data files for gnuplot: one for each variant, operator and type. plots/README.md describes them.
 * A reader finds whole rows only, whenever it looks. */
#pragma once

#include "measure.h"
#include <stdio.h>

struct data_file { // zeros: not open
    char path[4096];
    FILE *lines; // so far, in memory: they go to `text`
    char *text;
    size_t length;
    bool is_on_disk; // since the first row or comment
};

/* Creates the folder if necessary. Fails if nothing can be written into it. */
void create_data_folder(const char *folder);

/* Begins the file of a variant and an operation. The first row or comment creates it on the disk,
 * or replaces the file of an earlier run there. */
void open_data_file(struct data_file *file, const struct request *request,
                    const struct problem *problem, bool has_ranks);

void write_row(struct data_file *file, const struct reduction *reduction, const struct row *row);

/* Adds a comment, if the file is open. */
void write_comment(struct data_file *file, const char *comment);

/* Ends the file, if it is open. */
void close_data_file(struct data_file *file);

/* The lines of a file's head that describe the device. */
void write_device(FILE *to, const struct device *device);

/* Replaces a file by one with these bytes. If that fails, the old file is still there. */
void replace_file(const char *path, const char *bytes, size_t count);
