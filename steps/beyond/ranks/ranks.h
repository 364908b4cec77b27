/* A program of several processes that reduce one array together: see ../13_ranks.c, which has the
 * plan. Each process is a rank, and calls all of this in the same order.
 *
 *   ranks_main            ranks.c     options, device; for each n of the command line:
 *     plan_part           ranks.c       a plan for this rank's part of the array
 *     verify_on           ranks.c       makes data, reduces, compares the value of all ranks
 *     time_ranks          timing.c      repeats: a barrier, then run_once() on every rank
 *     print_ranks         timing.c      the row, on rank 0
 *
 *   world.c starts and ends the ranks, and decides which of them reports an error. */
#pragma once

#include "mpi_operation.h"
#include "parts.h"

/* step_main() for ranks. */
int ranks_main(int argc, char **argv, const struct step *step);
