/* --check solves matrices whose eigenvalue is known, with all versions. */
#pragma once

#include "solver.h"

/* Prints TAP. Returns the exit status. `common` has the settings that all solvers share.
 * versions[0] and versions[1] are our version in one pass and in two. */
enum status check_versions(const struct solver *common, const struct version *versions);
