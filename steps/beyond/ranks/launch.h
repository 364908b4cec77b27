/* Traps of starting the ranks: each would be noticed only by its speed, or by a wrong number of
 * ranks. */
#pragma once

#include "world.h"

/* Before MPI starts, because mpirun and MPI may load OpenCL, and OpenCL's loader may shorten this
 * variable in place. */
void remember_environment(void);

/* Fails if the launcher has started several processes, but MPI knows one: then the program was
 * built with another MPI than that of mpirun. */
void require_own_launcher(void);

/* Rank 0 says in one line if runtimes of OpenCL were lost on the way to a rank. */
void report_lost_runtimes(void);

/* Rank 0 says in one line if all ranks of a node use its CPU although it has a GPU. */
void report_unused_gpu(const struct device *device, const struct options *options);
