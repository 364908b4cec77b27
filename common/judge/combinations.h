/* The combinations of variant, operation, size, group and width that the judge tests. */
#pragma once

#include "options.h"

/* Tests everything that the command line has chosen. Prints one line if all is right, otherwise the
 * first mistake; with --tap, each test. Returns the exit status. */
int check_combinations(struct request *request);
