#include "share.h"

#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t first_element; // of this rank's share, counted in the whole array

/* The first n % ranks ranks have one element more than the others. */
bool plan_share(struct reduction *reduction, struct device *device, const struct problem *problem)
{
    const uint64_t rank = (uint64_t)world.rank, ranks = (uint64_t)world.ranks, n = problem->n,
                   left = n % ranks;
    struct problem share = *problem;
    char trouble[TROUBLE_BYTES] = "";
    share.n = n / ranks + (rank < left);
    first_element = n / ranks * rank + (rank < left ? rank : left);

    begin_set_up();
    const bool is_ready = plan_reduction(reduction, device, &share);
    if (reduction->kernel && !reduction->kernel->kernel)
        report_plan(reduction); // prints the build log, and fails
    if (!is_ready)
        snprintf(trouble, sizeof trouble, "%s", reduction->reason);
    else if (problem->operation->has_index && n > UINT64_C(1) << 32)
        snprintf(trouble, sizeof trouble, "an index of 32 bits: at most 2^32 elements");
    meet();
    if (!share_trouble(trouble))
        return true;
    snprintf(reduction->reason, sizeof reduction->reason, "%.399s", trouble);
    return false;
}

void begin_collective(const struct operation *operation, const void *value)
{
    memcpy(&world.own_value, value, operation->value_bytes);
    if (operation->has_index && memcmp(value, operation->identity, operation->value_bytes) != 0)
        world.own_value.words[0] += (uint32_t)first_element; // see kernels/operators/argmin.clh
    alarm(0); // the kernel has ended: the alarm for kernels need not watch MPI
    world.collective_seconds = -now();
}

void end_collective(void) { world.collective_seconds += now(); }

/* The ranks' results are combined here in order by the host, and not by MPI, which is what is
 * verified. */
void make_share(struct reduction *reduction, struct data data)
{
    const struct operation *operation = reduction->problem.operation;
    any_value *results = allocate((size_t)world.ranks * sizeof *results),
              *expected = &reduction->input.expected;
    data.before = first_element;
    data.after = data.n - first_element - reduction->elements.count;
    make_data(reduction, data);
    MPI_Allgather(expected, sizeof *expected, MPI_BYTE, results, sizeof *expected, MPI_BYTE,
                  MPI_COMM_WORLD);
    *expected = *operation->identity;
    for (int r = 0; r < world.ranks; r++)
        operation->fold(&results[r], 1, expected);
    free(results);
}

bool verify_on(struct reduction *reduction, struct data data, bool with_poison)
{
    make_share(reduction, data);
    const bool is_right = verify_run(reduction, with_poison);
    return agree_on_result(reduction, is_right && input_is_unchanged(reduction));
}

bool agree_on_result(struct reduction *reduction, bool is_right)
{
    const any_value expected = reduction->input.expected;
    const bool is_value_wrong = !is_right && reduction->verdict.mistake == MISTAKE_VALUE;
    char trouble[TROUBLE_BYTES] = "", of_all[TROUBLE_BYTES] = "";
    if (is_value_wrong) { // is it this rank's own?
        snprintf(of_all, sizeof of_all, "MPI combines the right values of all ranks, but: %s",
                 reduction->verdict.reason);
        reduction->verdict.reason[0] = '\0';
        reduction->problem.operation->reference(&reduction->input.data, &reduction->input.expected);
        is_right = value_is_right(reduction, &world.own_value);
        reduction->input.expected = expected;
    }
    if (!is_right)
        snprintf(trouble, sizeof trouble, "%s", reduction->verdict.reason);
    const bool has_trouble =
        share_trouble(trouble) ||
        (share_trouble(of_all) && snprintf(trouble, sizeof trouble, "%s", of_all));
    snprintf(reduction->verdict.reason, sizeof reduction->verdict.reason, "%.399s", trouble);
    return !has_trouble;
}

/* ---- what measure() calls */
static void wait_for_all(void) { MPI_Barrier(MPI_COMM_WORLD); }

/* A duration is NAN for all ranks if a rank has none. */
static void take_slowest(double durations[DURATIONS])
{
    double slowest[DURATIONS];
    // In the collective, a rank waits for the last one to arrive. That rank has the shortest time.
    durations[DURATION_COLLECTIVE] = -world.collective_seconds;
    for (int i = 0; i < DURATIONS; i++)
        durations[i] = isnan(durations[i]) ? INFINITY : durations[i];
    MPI_Allreduce(durations, slowest, DURATIONS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    slowest[DURATION_COLLECTIVE] = -slowest[DURATION_COLLECTIVE];
    for (int i = 0; i < DURATIONS; i++)
        durations[i] = isinf(slowest[i]) ? NAN : slowest[i];
}

const struct hooks hooks_of_ranks = { wait_for_all, agree_on_result, take_slowest };
