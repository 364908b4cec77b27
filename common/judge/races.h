/* --races: Oclgrind looks for races, reads of memory that was never written, barriers that not all
 * work-items reach, and addresses out of bounds. */
#pragma once

#include "options.h"

/* Runs this program again inside Oclgrind, once for each variant, n, group size and width, and
 * prints Oclgrind's findings; inside Oclgrind, calls work(request). Returns STATUS_RIGHT if nothing
 * was found, STATUS_WRONG if there are findings, STATUS_UNSUPPORTED if Oclgrind is missing or can
 * run none of the trials. */
int find_races(struct request *request, int (*work)(struct request *request));

/* Inside Oclgrind: verifies the trial whose number the environment holds, or all trials. */
int check_trial_inside_oclgrind(struct request *request);
