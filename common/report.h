/* Rows on their way out: a table for people, and data files for gnuplot (README.md says what stands
 * in them). */
#ifndef REPORT_H
#define REPORT_H

#include "measure.h"
#include "options.h"

/* For people, on standard output, 80 columns wide. */
void report_head(const struct step *step, const struct device *device,
                 const struct operation *operation, const struct options *options,
                 uint64_t evict_bytes);
void report_row(const struct variant *variant, const struct row *row);
void report_stages(const struct run *run,
                   const struct row *row); // predicted counts beside the measured times

/* One file per variant, operator and type, whole after each row: written under another name, then
 * renamed. */
struct data_file {
    const char *folder;
    char path[4096];
    char *text;
    size_t length;
};
struct data_file data_open(const struct step *step, const struct run *run,
                           const struct options *options, uint64_t evict_bytes);
void data_row(struct data_file *file, const struct row *row);
void data_comment(struct data_file *file, const char *comment);
void data_close(struct data_file *file);
void data_folder(const char *folder); // fails if nothing can be written there; makes nothing yet

#endif
