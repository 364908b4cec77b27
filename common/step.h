/* What a step needs: the functions for its plan (plan.h), and step_main(), which verifies and
 * measures what is planned. A program without step_main() plans and runs by the same functions: see
 * tests/common/small_program.c.
 *
 *   step_main               step.c    parse_options, choose_request (options.c)
 *     time_variant          step.c    for each geometry:
 *       verify_small        step.c      for a few small n:
 *         plan_reduction    plan.c        builds the kernel (kernel.c), calls the step's own plan()
 *         verify_inputs     verify.c      for each input: poison, run_once(), compare; then on
 *                                         other data, with what memory holds by then
 *       time_row            step.c      for each n of the command line:
 *         plan_reduction    plan.c        the same for this n
 *         make_data         verify.c      elements on the device, expected result on the host
 *         measure           measure.c     verify; repeat run_once() (run.c), each time beside a
 *                                         program that only reads; verify again
 *         print_row         report.c      and write_row() (data_file.c) with --out; if there is
 *                                         only one row, print_details(), too
 */
#pragma once

#include "operations.h"
#include "options.h"
#include "plan.h"
#include "run.h"

/* Does what the command line asks for. Returns the exit status: see fail.h. */
int step_main(int argc, char **argv, const struct step *step);
