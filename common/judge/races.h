/* --races: races, reads of memory that was never written, barriers that not all work-items reach,
 * and addresses out of bounds, as Oclgrind sees them. */
#pragma once

#include "options.h"

/* Runs this program again inside Oclgrind, once for each variant, n, group size and width, and
 * prints what Oclgrind found. There it calls work(request). Returns STATUS_RIGHT if nothing was
 * found, STATUS_WRONG if something was, STATUS_UNSUPPORTED without Oclgrind or if Oclgrind can run
 * none of this. */
int find_races(struct request *request, int (*work)(struct request *request));

/* Inside Oclgrind: verifies the trial whose number the environment holds. */
int check_trial_inside_oclgrind(struct request *request);
