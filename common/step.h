/* What a step needs: words for its plan, and step_main, which runs, verifies and measures what is
 * planned.
 *
 *   plan() --stage()--> stages, in order --step_main()--> checked, timed, checked again, printed
 *
 * Who calls whom, from the command line to a row:
 *
 *   step_main, run_step      step.c            options; which variants and operations
 *     watched                check/watch.c     fork: what touches OpenCL is done in a child
 *       work, on_device      step.c            opens the device, refuses what cannot be
 *         check              check/check.c     with --check; else
 *         print_rows         timing/rows.c     for each variant, geometry and n:
 *           check_trial      session.c           are smaller sizes right?
 *           session_plan     session.c           the step's own plan(), by plan.c
 *           input_make         input.c           elements on the device, the value on the host
 *           measure          timing/measure.c    verified, timed, verified again
 *             reduce_once      run.c             each time: launches, then the value
 *           put_row          timing/rows.c       data_file.c writes, report.c prints
 */
#pragma once

#include "session.h"
#include "stages.h"

/* Ends the program, with exit status 0 right, 1 wrong result, 2 usage or set-up, 77 not supported
 * here. */
int step_main(int argc, char **argv, const struct step *step);
