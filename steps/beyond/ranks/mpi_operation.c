#include "mpi_operation.h"

#include <string.h>

/* A sum of int wraps around only as an unsigned number.
 *
 * Minima and maxima of unsigned numbers are missing, because some versions of MPI compare these as
 * signed numbers: MPICH 4.0 (issue 6083 of pmodels/mpich) and Open MPI 4.1.4 on some processors
 * (issue 10648 of open-mpi/ompi). What MPI makes of a NaN is undefined, but no rank's value is one,
 * because load() skips NaN. */
bool find_mpi_operation(const struct operation *operation, struct mpi_operation *found)
{
    static const struct {
        const char *op, *type;
        struct mpi_operation mpi;
    } known[] = {
        { "sum", "int", { MPI_SUM, MPI_UINT32_T } },  { "sum", "uint", { MPI_SUM, MPI_UINT32_T } },
        { "sum", "long", { MPI_SUM, MPI_UINT64_T } }, { "sum", "ulong", { MPI_SUM, MPI_UINT64_T } },
        { "sum", "float", { MPI_SUM, MPI_FLOAT } },   { "sum", "double", { MPI_SUM, MPI_DOUBLE } },
        { "min", "int", { MPI_MIN, MPI_INT32_T } },   { "max", "int", { MPI_MAX, MPI_INT32_T } },
        { "min", "long", { MPI_MIN, MPI_INT64_T } },  { "max", "long", { MPI_MAX, MPI_INT64_T } },
        { "min", "float", { MPI_MIN, MPI_FLOAT } },   { "max", "float", { MPI_MAX, MPI_FLOAT } },
        { "min", "double", { MPI_MIN, MPI_DOUBLE } }, { "max", "double", { MPI_MAX, MPI_DOUBLE } },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].op, operation->op) == 0 &&
            strcmp(known[i].type, operation->type) == 0) {
            *found = known[i].mpi;
            return true;
        }
    return false;
}
