/* --check: every variant with many operations, sizes, groups and widths. */
#pragma once

#include "options.h"

/* Prints TAP for everything that the command line has chosen. Returns the exit status. */
int check_matrix(struct request *request);
