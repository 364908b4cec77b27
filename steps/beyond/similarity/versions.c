/*   measure_versions
 *     for each turn and version:
 *       measure_turn      solves and times each launch by the device's clock, then solves again for
 *                         the wall time
 *         measure_limit   after each launch over the matrix, times the fastest read of the matrix,
 *                         or the fastest read and write. If other programs disturb the machine,
 *                         they slow down both the launch and its limit
 *         time_moves      after the second solution, times a program that only moves the matrix, by
 *                         wall time, too
 *     summarise           medians, and the verdict
 */
#include "versions.h"

#include "solution.h"
#include <math.h>
#include <stdlib.h>

enum { TURNS_MAX = 9, TURNS_MIN = 3 };

const char *const part_kind_names[PART_KINDS] = { "row_sums", "maximum", "eigenvector", "stop",
                                                  "next_matrix" };

double count_bytes(const struct measured_version *version, enum part_kind kind)
{
    const double n = (double)version->solver.n, matrix = 4 * n * n, vector = 4 * n;
    const bool ours = !version->solver.version->eigenvector;
    switch (kind) {
    case ROW_SUMS: return matrix;
    case MAXIMUM: return ours ? 4 * vector : vector; // ours also computes the eigenvector
    case EIGENVECTOR: return 3 * vector;
    case STOP: return 2 * vector;
    default: return 2 * matrix;
    }
}

/* ---- the limit of reading and writing */

/* Shapes of the kernels that read and write. find_fastest_mover() tries each of them. */
static const struct mover {
    const char *kernel;
    size_t group_size, groups_per_unit;
} cpu_movers[] = { { "blocks", 1, 1 }, { "blocks", 1, 4 }, { "blocks", 1, 64 }, { NULL } },
  gpu_movers[] = { { "lanes", 1024, 2 }, { "lanes", 256, 32 }, { "lanes", 256, 512 }, { NULL } };

/* Reads the whole matrix and writes it back unchanged. `event` may be NULL. */
static void launch_mover(const struct solver *s, const struct mover *mover, cl_command_queue queue,
                         cl_event *event)
{
    struct device *device = s->device;
    const struct kernel *kernel =
        get_kernel(device, "beyond/12_read_write.cl", mover->kernel, "-cl-std=CL1.2");
    const cl_ulong vectors = s->n * s->stride * sizeof(float) / (device->is_gpu ? 16 : 64);
    const cl_uint zero = 0;
    CL(clSetKernelArg(kernel->kernel, 0, sizeof s->matrix, &s->matrix));
    CL(clSetKernelArg(kernel->kernel, 1, sizeof vectors, &vectors));
    CL(clSetKernelArg(kernel->kernel, 2, sizeof zero, &zero));
    launch_kernel(queue, kernel, mover->group_size * mover->groups_per_unit * device->compute_units,
                  mover->group_size, event);
}

/* Returns the seconds of launch_mover() by the device's clock. */
static double time_read_write(const struct solver *s, const struct mover *mover)
{
    const cl_command_queue queue = s->device->profiled_queue;
    cl_event event;
    launch_mover(s, mover, queue, &event);
    CL(clFinish(queue));
    const struct interval interval = read_event(event);
    CL(clReleaseEvent(event));
    return interval.end - interval.start;
}

static const struct mover *find_fastest_mover(const struct solver *s)
{
    const struct mover *movers = s->device->is_gpu ? gpu_movers : cpu_movers, *fastest = movers;
    double least = INFINITY;
    for (int turn = 0; turn < 4; turn++) // the first turn warms up
        for (const struct mover *mover = movers; mover->kernel; mover++) {
            const double seconds = time_read_write(s, mover);
            if (turn > 0 && seconds < least) {
                least = seconds;
                fastest = mover;
            }
        }
    return fastest;
}

/* ---- a turn */
struct sampler {                                   // for one version, in seconds
    double *part[PART_KINDS], *limit[PART_KINDS];  // of each launch, by the device's clock
    double wall[TURNS_MAX], limit_wall[TURNS_MAX]; // of each solution
    int part_count[PART_KINDS], limit_count[PART_KINDS];
    struct reduction read; // the program that only reads the matrix
    const struct mover *mover;
};

static void measure_limit(struct solver *s, enum part_kind kind)
{
    struct sampler *sampler = s->sampler;
    double *const seconds = &sampler->limit[kind][sampler->limit_count[kind]++];
    if (kind == ROW_SUMS) {
        // The kernel for the row sums read a matrix that was just written. A GPU's cache still
        // holds tens of megabytes of such a matrix, and writes them to memory while the next kernel
        // reads. Therefore the matrix is written here, too, before its limit is measured.
        time_read_write(s, sampler->mover);
        any_value word;
        *seconds = run_once(&sampler->read, s->device->profiled_queue, &word).kernel;
    } else if (kind == NEXT_MATRIX) {
        *seconds = time_read_write(s, sampler->mover);
    } else {
        *seconds = NAN; // a vector is so small that the launch decides, not the memory
    }
}

/* Returns the wall time of a program that only moves the matrix, as often as this version does, and
 * fetches one word in each round, for the stop test. A version with one pass adds up the rows while
 * it writes them, so it reads the matrix on its own in the first round only. */
static double time_moves(struct solver *s)
{
    const cl_command_queue queue = s->device->queue;
    any_value word;
    const double start = now();
    for (int round = 0; round <= s->rounds; round++) {
        if (round > 0)
            launch_mover(s, s->sampler->mover, queue, NULL);
        if (round == 0 || !s->version->has_one_pass)
            run_once(&s->sampler->read, queue, &word);
        else
            CL(clEnqueueReadBuffer(queue, s->flag, CL_TRUE, 0, sizeof(cl_uint), &word, 0, NULL,
                                   NULL));
    }
    return now() - start;
}

/* Writes the seconds that this kind of part took in each round, and returns the number of rounds.
 * The fill before a kernel with atomics counts as a part of that kernel. */
static int read_events(const struct solver *s, enum part_kind kind, double *seconds)
{
    int count = 0, round = -1;
    for (int i = 0; i < s->event_count; i++) {
        if (s->events[i].kind != kind)
            continue;
        const struct interval interval = read_event(s->events[i].event);
        if (s->events[i].round != round)
            seconds[count++] = 0;
        round = s->events[i].round;
        seconds[count - 1] += interval.end - interval.start;
    }
    return count;
}

static void measure_turn(struct solver *s, int turn)
{
    struct sampler *sampler = s->sampler;
    s->after_launch = measure_limit;
    solve(s, s->device->profiled_queue);
    s->after_launch = NULL;
    for (int kind = 0; kind < PART_KINDS; kind++)
        sampler->part_count[kind] +=
            read_events(s, kind, sampler->part[kind] + sampler->part_count[kind]);
    // The second solution gives the wall time, without limits, and on a GPU without profiling.
    solve(s, s->device->queue);
    sampler->wall[turn] = s->wall;
    sampler->limit_wall[turn] = time_moves(s);
}

/* ---- all turns */
static void open_sampler(struct sampler *sampler, const struct solver *s)
{
    const size_t bytes = TURNS_MAX * (s->rounds_max + 1) * sizeof(double);
    for (int kind = 0; kind < PART_KINDS; kind++) {
        sampler->part[kind] = allocate(bytes);
        sampler->limit[kind] = allocate(bytes);
    }
    plan_read(&sampler->read, s->device, s->matrix, s->n * s->stride * sizeof(float));
}

static void close_sampler(struct sampler *sampler)
{
    for (int kind = 0; kind < PART_KINDS; kind++) {
        free(sampler->part[kind]);
        free(sampler->limit[kind]);
    }
}

static void summarise(struct measured_version *m, struct sampler *sampler, int turns)
{
    const struct solver *s = &m->solver;
    for (int kind = 0; kind < PART_KINDS; kind++) {
        const int count = sampler->part_count[kind];
        double *percent = allocate((count + 1) * sizeof *percent);
        for (int i = 0; i < count; i++)
            percent[i] = 100 * sampler->limit[kind][i] / sampler->part[kind][i];
        m->kernel_percent[kind] = compute_statistics(percent, count).median;
        m->part[kind] = compute_statistics(sampler->part[kind], count).median;
        m->limit[kind] = compute_statistics(sampler->limit[kind], count).median;
        free(percent);
    }
    m->wall = compute_statistics(sampler->wall, turns).median;
    m->limit_wall = compute_statistics(sampler->limit_wall, turns).median;
    m->percent_of_limit = 100 * m->limit_wall / m->wall;
    m->is_right = verify_solution(s, &m->enclosure, m->why);
}

void measure_versions(struct measured_version *versions, int count)
{
    versions->solver.device->evict_bytes = 0; // a round finds in the cache what the last one left
    struct sampler *samplers = allocate(count * sizeof *samplers);
    int turn = 0;
    for (int i = 0; i < count; i++) { // one round of each version compiles its kernels
        struct solver *s = &versions[i].solver;
        const int rounds_max = s->rounds_max;
        s->rounds_max = 1;
        solve(s, s->device->profiled_queue);
        s->rounds_max = rounds_max;
        open_sampler(&samplers[i], s);
        samplers[i].mover = i == 0 ? find_fastest_mover(s) : samplers[0].mover;
        s->sampler = &samplers[i];
    }
    // The turns end after one second per version. But the first turn may take any time, and up to
    // TURNS_MIN turns may take up to six seconds per version.
    const double start = now();
    while (turn < TURNS_MAX && (turn < 1 || now() - start < (turn < TURNS_MIN ? 6 : 1) * count)) {
        for (int i = 0; i < count; i++)
            measure_turn(&versions[i].solver, turn);
        turn++;
    }
    for (int i = 0; i < count; i++) {
        summarise(&versions[i], &samplers[i], turn);
        close_sampler(&samplers[i]);
    }
    free(samplers);
}
