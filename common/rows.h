/* From the command line's lists of sizes, group sizes and widths to rows. */
#ifndef ROWS_H
#define ROWS_H

#include "data_file.h"
#include "limit.h"
#include "report.h"
#include "trial.h"

struct failure { // a wrong result, which takes the place of its row
    struct trial trial;
    char why[400];
};

struct rows { // what all rows of one call have in common
    struct session *session;
    const struct operation *operation;
    struct limit limit;
    struct data_file *file;    // of one variant; NULL: none yet
    char left_out[LIST * 128]; // comments that wait for the file
    bool one_row, head;        // there will be only one; the table's head is printed
};

struct rows rows_open(struct session *session, const struct operation *operation, bool alone);
void rows_close(struct rows *rows);

/* All rows of a variant. 0, EXIT_WRONG: *failure, or EXIT_UNSUPPORTED: in each of its groups. */
int rows_of(struct rows *rows, const struct variant *variant, struct failure *failure);

#endif
