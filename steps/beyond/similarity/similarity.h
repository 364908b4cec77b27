/* What is around the algorithm: the command line, measuring, checking. */
#pragma once

#include "solver.h"

/* The first version is the main one. Returns the exit status. */
int similarity_main(int argc, char **argv, const struct version *versions,
                    bool (*iterate)(struct solver *));
