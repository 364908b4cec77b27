#include "timing.h"

#include "parts.h"
#include "report.h"
#include "verify.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum reading { WALL, COLLECTIVE, KERNEL, SPAN, READ, EMPTY, IS_ENOUGH, READINGS };

/* Replaces each reading by that of the slowest rank. NAN if a rank has none. */
static void take_slowest(double readings[READINGS])
{
    double slowest[READINGS];
    for (int i = 0; i < READINGS; i++)
        readings[i] = isnan(readings[i]) ? INFINITY : readings[i];
    // In the collective, a rank waits for the last one to arrive. That rank has the shortest time.
    readings[COLLECTIVE] = -readings[COLLECTIVE];
    MPI_Allreduce(readings, slowest, READINGS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    slowest[COLLECTIVE] = -slowest[COLLECTIVE];
    for (int i = 0; i < READINGS; i++)
        readings[i] = isinf(slowest[i]) ? NAN : slowest[i];
}

/* One repetition. A GPU reduces twice, as in measure.c. False: the result is wrong. */
static bool repeat(struct reduction *reduction, const struct limits *limits, struct row *row,
                   double readings[READINGS])
{
    const struct device *device = reduction->device;
    const cl_command_queue queues[2] = { device->profiled_queue, device->queue };
    for (int i = 0; i < (device->is_gpu ? 2 : 1); i++) {
        fill_memory(reduction, NULL, NULL);
        evict_cache(limits);
        if (device->is_gpu && i == 0)
            hold_queue(limits);
        MPI_Barrier(MPI_COMM_WORLD);
        const struct times times = run_once(reduction, queues[i], &row->result);
        reduction->reason[0] = '\0';
        if (!agree_on_result(reduction, value_is_right(reduction, &row->result)))
            return false;
        readings[WALL] = times.wall; // of the last queue
        readings[COLLECTIVE] = world.collective_seconds;
        if (i == 0) {
            readings[KERNEL] = times.kernel;
            readings[SPAN] = times.span;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD); // the ranks read at the same time, too
    const uint64_t own_bytes =
        reduction->elements.count * reduction->problem.operation->element_bytes;
    readings[READ] =
        row->read_is_complete ? time_read(limits, reduction->elements.buffer, own_bytes) : NAN;
    readings[EMPTY] = time_empty_launch(limits);
    return true;
}

bool time_ranks(struct reduction *reduction, const struct limits *limits,
                const struct options *options, struct row *row)
{
    static struct samples samples;
    static double collective[SAMPLES_MAX];
    const size_t element_bytes = reduction->problem.operation->element_bytes;
    size_t count = 0;
    double readings[READINGS] = { 0 };
    *row = (struct row) { .bytes = reduction->data.n * element_bytes,
                          .ranks = world.ranks,
                          .devices = world.devices };

    run_once(reduction, reduction->device->queue, &row->result); // a warm-up
    row->read_is_complete = read_is_complete(limits, reduction->elements.buffer,
                                             reduction->elements.count * element_bytes);
    time_empty_launch(limits);
    const double start = now();
    while (!readings[IS_ENOUGH]) {
        if (!repeat(reduction, limits, row, readings))
            return false;
        const size_t at = count++ % SAMPLES_MAX;
        const double spent = now() - start, seconds = options->seconds;
        const bool is_slow = !options->repetitions.count && seconds > 0 && spent >= 4 * seconds;
        readings[IS_ENOUGH] =
            (count >= options->repetitions.value[0] && spent >= seconds) || (count >= 3 && is_slow);
        take_slowest(readings);
        samples.wall[at] = readings[WALL];
        collective[at] = readings[COLLECTIVE];
        samples.kernel[at] = readings[KERNEL];
        samples.span[at] = readings[SPAN];
        samples.read[at] = readings[READ];
        samples.empty[at] = readings[EMPTY];
    }
    summarise_row(row, &samples, count, limits->evict_bytes > 0);
    row->collective = compute_statistics(collective, count < SAMPLES_MAX ? count : SAMPLES_MAX);
    return true;
}

/* ---- the table */
void print_ranks_head(const struct step *step, const struct reduction *reduction,
                      const struct options *options, uint64_t evict_bytes)
{
    char columns[200];
    const int ranks = world.ranks, nodes = world.nodes, devices = world.devices;
    snprintf(columns, sizeof columns,
             "%d rank%s on %d node%s, %d device%s%s\n\n%-13s %11s %5s  %9s %9s %10s %6s %6s", ranks,
             ranks == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", devices, devices == 1 ? "" : "s",
             devices == 1 ? "" : "; rank 0 has the one above", "variant", "n", "ranks", "kernels",
             "wall", "collective", "GB/s", "%limit");
    print_table_head(step, reduction->device, reduction->problem.operation, options, evict_bytes,
                     columns);
}

void print_ranks(const struct reduction *reduction, const struct row *row)
{
    char kernel[16], wall[16], collective[16];
    printf("%-13s %11" PRIu64 " %5d  %9s %9s %10s %6.*f %6.1f%s\n",
           reduction->problem.variant->name, reduction->data.n, world.ranks,
           format_time(row->kernel.median, kernel), format_time(row->wall.median, wall),
           format_time(row->collective.median, collective), row->gbps < 10 ? 2 : 1, row->gbps,
           row->percent_of_limit, rating_marks[row->rating]);
    flush_output();
}

void print_ranks_details(const struct reduction *reduction, const struct row *row)
{
    char a[16], b[16], c[16], d[16];
    printf("\nmedian of %zu, of the slowest rank: kernel %s, wall %s (min %s), MPI %s\n",
           row->repetitions, format_time(row->kernel.median, a), format_time(row->wall.median, b),
           format_time(row->wall.min, c), format_time(row->collective.median, d));
    printf("result %s: right before and during timing; then right on other data, too\n",
           reduction->problem.operation->show(&row->result).text);
    printf("%s", rating_notes[row->rating]);
}
