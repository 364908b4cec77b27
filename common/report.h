/* Text for people: rows on standard output, 80 columns wide; and why there is no row. */
#pragma once

#include "measure.h"

/* Prints the lines above the rows: the operation, the device, and the names of the columns. */
void print_table_head(const struct step *step, const struct device *device,
                      const struct operation *operation, const struct options *options,
                      const char *columns);
extern const char table_columns[]; // of print_row()

void print_row(const struct reduction *reduction, const struct row *row,
               const struct options *options);

/* For a row that stands alone: what the plan predicts, and what was measured. */
void print_details(const struct reduction *reduction, const struct row *row,
                   const struct options *options);

/* Prints that the result of n elements is wrong, and why. */
void print_wrong(const struct reduction *reduction, uint64_t n);

/* Says on standard error why a plan cannot be carried out. Returns STATUS_UNSUPPORTED, or
 * STATUS_SETUP if an option has no effect. Fails if the kernel cannot be used. */
enum status report_plan(const struct reduction *reduction);

/* Prints what --help, --version, --list, --variants or --facts asks for. */
void print_information(const struct options *options, const struct step *step, const char *usage,
                       const struct known_option *const *lists);

/* The command that judges the kernel in the problem's geometry, at n elements; at the judge's own
 * sizes if n is 0. A shell takes its words as they are. Valid until the next call. */
const char *compose_judge_command(const struct request *request, const struct problem *problem,
                                  uint64_t n);

/* Writes what standard output still holds. Fails if it cannot be written, as on a full disk. */
void flush_output(void);

/* "1.23 ms": three digits and the unit that fits; "-" for NAN. */
const char *format_time(double seconds, char text[16]);
