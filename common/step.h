/* What a step needs: words for its plan, and step_main, which runs, verifies and measures what is
 * planned.
 *
 *   plan() --stage()--> stages, in order --step_main()--> checked, timed, checked again, printed
 */
#pragma once

#include "session.h"
#include "stages.h"

/* Returns the exit status: 0 right, 1 wrong result, 2 usage or set-up, 77 not supported here. */
int step_main(int argc, char **argv, const struct step *step);
