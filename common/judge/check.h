/* The matrix: every variant with many operations, sizes, groups and widths. */
#pragma once

#include "options.h"

/* Tests everything that the command line has chosen. Prints one line if all is right, otherwise the
 * first mistake; with --tap, each test. Returns the exit status. */
int check_matrix(struct request *request);
