/* --check: known answers, on every version; TAP on standard output. */
#pragma once

#include "solver.h"

int check_all(const struct solver *common, const struct version *versions);
