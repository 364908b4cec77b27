/* 13 ranks
 * Idea     Several processes, the ranks, reduce one array on several devices or machines. Each rank
 *          reduces its part. Then MPI combines the ranks' values, and every rank has the result.
 * Change   (against 11 streams) The host calls MPI_Allreduce after the kernel. MPI must know
 *          whether the operator is commutative.
 * Expect   A rank reads n / ranks elements, so on devices of their own the ranks divide the time of
 *          reading. MPI needs some microseconds, and more of them each time the ranks double.
 * Try      mpirun -n 2 ./step13 --sweep 2^10..2^26, and the same with -n 1: from which n on are two
 *          ranks faster? Then --op hash --n 1000003 with 1, 2 and 3 ranks: is the result the same?
 */
#include "ranks/ranks.h"

#include <string.h>

static const struct operation *operation; // of the current plan, and what MPI calls it
static MPI_Datatype value_type;
static MPI_Op mpi_operator;

/* Operations that MPI has. (Some versions of MPICH and Open MPI compare unsigned numbers as signed
 * ones: issues 6083 of pmodels/mpich, 10648 of open-mpi/ompi. So MPI_MIN and MPI_MAX serve signed
 * numbers only. What they make of a NaN is undefined, but load() skips NaN, so no value is one.) */
static const struct {
    const char *op, *type;
    MPI_Op operator;
    MPI_Datatype value;
} known[] = {
    { "sum", "int", MPI_SUM, MPI_UINT32_T },  { "sum", "uint", MPI_SUM, MPI_UINT32_T },
    { "sum", "long", MPI_SUM, MPI_UINT64_T }, { "sum", "ulong", MPI_SUM, MPI_UINT64_T },
    { "sum", "float", MPI_SUM, MPI_FLOAT },   { "sum", "double", MPI_SUM, MPI_DOUBLE },
    { "min", "int", MPI_MIN, MPI_INT32_T },   { "min", "long", MPI_MIN, MPI_INT64_T },
    { "min", "float", MPI_MIN, MPI_FLOAT },   { "min", "double", MPI_MIN, MPI_DOUBLE },
    { "max", "int", MPI_MAX, MPI_INT32_T },   { "max", "long", MPI_MAX, MPI_INT64_T },
    { "max", "float", MPI_MAX, MPI_FLOAT },   { "max", "double", MPI_MAX, MPI_DOUBLE },
};

/* For all other operations MPI calls this function: *right = combine(*left, *right). `left` comes
 * from lower ranks than `right`. */
static void combine_values(void *left, void *right, int *count, MPI_Datatype *type)
{
    const size_t bytes = operation->value_bytes;
    (void)type; // value_type
    for (size_t at = 0; at < (size_t)*count * bytes; at += bytes) {
        any_value both;
        memcpy(&both, (char *)left + at, bytes);
        operation->fold((char *)right + at, 1, &both);
        memcpy((char *)right + at, &both, bytes);
    }
}

static void choose_mpi_operator(void)
{
    const int commute = operation->is_commutative; // if 0, MPI keeps the order of the ranks
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].op, operation->op) == 0 &&
            strcmp(known[i].type, operation->type) == 0) {
            mpi_operator = known[i].operator;
            value_type = known[i].value;
            return;
        }
    value_type = operation->value_bytes == 8 ? MPI_UINT64_T : MPI_UINT32_T; // of as many bytes
    MPI_Op_create(combine_values, commute, &mpi_operator);
}

/* The last stage of the plan. Every rank gets the result. */
static void combine_ranks(const void *value, uint64_t count, void *result)
{
    (void)count; // 1
    begin_collective(operation, value);
    MPI_Allreduce(&world.own_value, result, 1, value_type, mpi_operator, MPI_COMM_WORLD);
    end_collective();
}

static void add_mpi_finish(struct reduction *reduction)
{
    const struct array value = { reduction->result.buffer, 1, .has_values = true };
    if (operation != reduction->problem.operation) {
        operation = reduction->problem.operation;
        choose_mpi_operator();
    }
    add_host_finish(reduction, value)->combine = combine_ranks;
}

static void plan(struct reduction *reduction)
{
    bool gpu = reduction->device->is_gpu;
    size_t group_size = choose_group_size(reduction, gpu ? 256 : reduction->lanes);
    uint64_t groups = choose_busy_groups(reduction, gpu ? 16 * group_size : 1 << 15, gpu ? 4 : 8);
    groups = groups ? groups : 1; // of a rank without elements, which computes the identity

    add_counter(reduction, groups);
    add_stage(reduction, reduction->elements, reduction->result, groups, group_size);
    add_mpi_finish(reduction);
}

static void plan_in_order(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = choose_groups(reduction, 8 * reduction->device->compute_units);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, group_size);
    add_stage(reduction, partials, reduction->result, 1, group_size);
    add_mpi_finish(reduction);
}

static const struct variant variants[] = {
    // the kernels of steps 11 and 06
    { "streams", "beyond/11_streams.cl", plan, NULL, NEEDS_TABLE | NEEDS_ATOMICS, .width = 4 },
    { "associative", "06_associative.cl", plan_in_order, NULL, .order = ORDER_IS_KEPT,
      .constant = { "KEPT", 16 }, .scratch_values = 16 + 1 },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 13, "ranks", 11, variants };
    return ranks_main(argc, argv, &step);
}
