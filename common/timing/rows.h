/* From the command line's lists of sizes, group sizes and widths to rows. */
#pragma once

#include "session.h"

/* Says more about what came out wrong, each line behind `mark`. */
typedef void diagnosis(struct session *session, const struct trial *trial, const char *mark);

/* Prints all rows of the first operation, and writes them where --out says. What is wrong takes the
 * place of its row, then `diagnose` says more (a parameter: nothing of check/ is included here).
 * Returns the exit status: unsupported if it is the only variant and runs in no geometry. */
int print_rows(struct session *session, diagnosis *diagnose);
