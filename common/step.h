/* What a step needs: words for its plan (plan.h), and step_main(), which verifies and measures what
 * is planned. A program without step_main() plans and runs by the same words: see
 * tests/common/small_program.c.
 *
 *   step_main            step.c       reads the options, opens the device
 *     for each variant, geometry and n:
 *       plan_reduction   plan.c       calls the step's own plan()
 *       make_data        data.c       elements on the device, expected result on the host
 *       verify_once      verify.c     poison in memory, run_once(), compare
 *       measure          measure.c    verified, timed by run_once() in run.c, verified again
 *       print_row        report.c     and write_row() in data_file.c, with --out
 */
#pragma once

#include "operations.h"
#include "options.h"
#include "plan.h"
#include "run.h"

/* Does what the command line asks for. Returns the exit status: see fail.h. */
int step_main(int argc, char **argv, const struct step *step);
