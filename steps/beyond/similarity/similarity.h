/* The program around the algorithm of step 12: the command line, measurements and checks. */
#pragma once

#include "solver.h"

/* Does what the command line asks for. Without --version it uses the first version. A version
 * without a name ends the list. Returns the exit status: see fail.h. */
int similarity_main(int argc, char **argv, const struct version *versions,
                    iterate_function *iterate);
