/* A program of several processes that reduce one array together: see ../13_ranks.c, which has the
 * plan. All ranks call all of this in the same order.
 *
 *   ranks_main            ranks.c       starts MPI (world.c)
 *     read_options        arguments.c   the command line
 *     open_own_device     world.c       a device for this rank
 *     time_row            ranks.c       for each n of the command line:
 *       verify_n          table.c         plans this rank's share of the array (share.c)
 *         verify_on       share.c         makes data, reduces, compares the value of all ranks
 *       measure           measure.c       repeats run_once() on every rank, and calls
 *                                         hooks_of_ranks (share.c) before and after each run
 *       print_row         report.c        the row, on rank 0
 *     check_operations    check_operations.c: instead of the rows, with --check */
#pragma once

#include "mpi_operation.h"
#include "share.h"

/* step_main() for ranks. Starts MPI; the caller ends it by leave_world(). */
enum status ranks_main(int argc, char **argv, const struct step *step);
