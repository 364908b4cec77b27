/* 13 ranks
 * Idea     Several processes, called ranks, reduce one array on several devices or machines: each
 *          rank reduces its share. Then MPI combines their values, and every rank has the result.
 * Change   (against 11) The host calls MPI_Allreduce after the kernel. MPI has to know
 *          whether the operator is commutative.
 * Expect   Each rank reads n / ranks elements. So if each rank has a device of its own, reading
 *          takes 1 / ranks of the time. MPI adds some microseconds, because the ranks
 *          exchange values once each time their number doubles.
 * Try      mpirun -n 2 ./step13 --sweep 2^10..2^26, and the same with -n 1: from which n on are two
 *          ranks faster? Then --op hash --n 1000003 with 1, 2 and 3 ranks: is the result the same?
 *          Then set `commute` below to 1. Does your MPI still keep the order?
 */
#include "ranks/ranks.h"

#include <string.h>

static const struct operation *operation; // of the current plan, and how MPI combines its values
static struct mpi_operation mpi;
static MPI_Op own_op = MPI_OP_NULL; // of the last operation that MPI does not have itself

/* An operator of our own, which MPI calls for *right = combine(*left, *right). `left` comes from
 * lower ranks than `right`. */
static void combine_values(void *left, void *right, int *count, MPI_Datatype *type)
{
    any_value both;
    (void)count, (void)type; // 1, mpi.type
    memcpy(&both, left, operation->value_bytes);
    operation->fold(right, 1, &both);
    memcpy(right, &both, operation->value_bytes);
}

static void free_own_op(void)
{
    if (own_op != MPI_OP_NULL)
        MPI_Op_free(&own_op); // sets it to MPI_OP_NULL
}

static void choose_mpi_operation(const struct operation *of)
{
    const int commute = of->is_commutative; // 0: MPI must keep the order of the ranks
    operation = of;
    if (find_mpi_operation(of, &mpi)) // sums, and most minima and maxima
        return;
    mpi.type = of->value_bytes == 8 ? MPI_UINT64_T : MPI_UINT32_T; // MPI only moves the bits
    free_own_op();
    MPI_Op_create(combine_values, commute, &own_op);
    mpi.op = own_op;
}

/* The last stage of the plan. Every rank gets the result. */
static void combine_ranks(const void *value, uint64_t count, void *result)
{
    (void)count; // 1
    begin_collective(operation, value);
    MPI_Allreduce(&world.own_value, result, 1, mpi.type, mpi.op, MPI_COMM_WORLD);
    end_collective();
}

static void add_mpi_finish(struct reduction *reduction)
{
    const struct array value = { reduction->result.buffer, 1, .has_values = true };
    if (operation != reduction->problem.operation)
        choose_mpi_operation(reduction->problem.operation);
    add_host_finish(reduction, value)->combine = combine_ranks;
}

static void plan(struct reduction *reduction) // as in step 11
{
    bool gpu = reduction->device->is_gpu;
    size_t group_size = choose_group_size(reduction, gpu ? 256 : reduction->lanes);
    uint64_t groups = choose_busy_groups(reduction, gpu ? 16 * group_size : 1 << 15, gpu ? 4 : 8);

    add_counter(reduction, groups);
    add_stage(reduction, reduction->elements, reduction->result, groups, group_size);
    add_mpi_finish(reduction);
}

static void plan_in_order(struct reduction *reduction) // as in step 06
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = choose_groups(reduction, 8 * reduction->device->compute_units);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, group_size);
    add_stage(reduction, partials, reduction->result, 1, group_size);
    add_mpi_finish(reduction);
}

static const struct variant variants[] = {
    { "counter", "beyond/11_counter.cl", plan, NULL, NEEDS_SUB_GROUPS | NEEDS_ATOMICS, .width = 4,
      .batch = 4 },
    { "associative", "06_associative.cl", plan_in_order, NULL, .order = ORDER_IS_KEPT,
      .constant = { "KEPT", 16 }, .scratch_values = 16 + 1 },
    { NULL },
};

int main(int argc, char **argv)
{
    static const struct step step = { 13, "ranks", 11, variants };
    const enum status status = ranks_main(argc, argv, &step);
    free_own_op();
    return leave_world(status);
}
