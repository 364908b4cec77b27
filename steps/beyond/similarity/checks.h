/* --check: solves matrices whose eigenvalue is known, with all versions. */
#pragma once

#include "solver.h"

/* Prints TAP. Returns the exit status. `common` is what all solvers have in common; versions[0] and
 * versions[1] are ours in one pass and in two. */
enum status check_versions(const struct solver *common, const struct version *versions);
