/* The operations that MPI has itself. */
#pragma once

#include "operation.h"
#include <mpi.h>

struct mpi_operation { // how MPI combines two values
    MPI_Op op;
    MPI_Datatype type;
};

/* False: MPI does not have this operation, or not reliably. */
bool find_mpi_operation(const struct operation *operation, struct mpi_operation *found);
