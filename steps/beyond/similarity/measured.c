/* A turn is one solution by each version. Behind each launch that goes through the matrix the
 * fastest read of it, or read and write, is timed: what disturbs the machine disturbs both of a
 * pair.
 */
#include "measured.h"

#include "judge.h"
#include "timing/measure.h"
#include <math.h>
#include <stdlib.h>

enum { TURNS = 9, LEAST_TURNS = 3 };

const char *const kind_names[KINDS] = { "row_sums", "maximum", "eigenvector", "stop",
                                        "next_matrix" };

/* Shapes of the kernels that read and write: as in common/timing/, the best is chosen by trying. */
static const struct mover {
    const char *kernel;
    size_t group, groups_per_unit;
} cpu_movers[] = { { "blocks", 1, 1 }, { "blocks", 1, 4 }, { "blocks", 1, 64 }, { NULL } },
  gpu_movers[] = { { "lanes", 1024, 2 }, { "lanes", 256, 32 }, { "lanes", 256, 512 }, { NULL } };

double part_bytes(const struct measured *version, enum kind kind)
{
    const double n = (double)version->solver.n, cells = 4 * n * n, floats = 4 * n;
    const bool ours = !version->solver.version->eigenvector;
    switch (kind) {
    case ROW_SUMS: return cells;
    case MAXIMUM: return ours ? 4 * floats : floats; // ours has the eigenvector in it
    case EIGENVECTOR: return 3 * floats;
    case STOP: return 2 * floats;
    default: return 2 * cells;
    }
}

/* Seconds to read the whole matrix and to write it, as it is. */
static double read_write(struct solver *s, const struct mover *mover)
{
    const struct kernel *kernel =
        kernel_get(&s->device, "12_read_write.cl", mover->kernel, "-cl-std=CL1.2");
    const cl_ulong count = 4 * s->n * s->stride / (s->device.gpu ? 16 : 64);
    const cl_uint zero = 0;
    cl_event event;
    kernel_set(kernel, ARRAY(s->matrix), NUMBER(count), NUMBER(zero));
    kernel_launch(s->device.profiled, kernel,
                  mover->group * mover->groups_per_unit * s->device.compute_units, mover->group,
                  &event);
    CL(clFinish(s->device.profiled));
    const struct interval interval = event_interval(event);
    CL(clReleaseEvent(event));
    return interval.end - interval.start;
}

static const struct mover *best_mover(struct solver *s)
{
    const struct mover *movers = s->device.gpu ? gpu_movers : cpu_movers, *best = movers;
    double least = INFINITY;
    for (int turn = 0; turn < 4; turn++) // the first one warms up
        for (const struct mover *mover = movers; mover->kernel; mover++) {
            const double seconds = read_write(s, mover);
            if (turn > 0 && seconds < least) {
                least = seconds;
                best = mover;
            }
        }
    return best;
}

/* Of one version, each launch's seconds, and its limit's. */
struct sampler {
    double *part[KINDS], *limit[KINDS], wall[TURNS];
    int parts[KINDS], limits[KINDS];
    const struct limit *read;
    const struct mover *mover;
};

static void beside(struct solver *s, enum kind kind)
{
    struct sampler *sampler = s->sampler;
    double *const to = &sampler->limit[kind][sampler->limits[kind]];
    if (kind == ROW_SUMS) {
        // As before the row sums, the matrix was just written: a GPU's cache holds tens of MB of
        // it, and puts them back while the next kernel reads.
        read_write(s, sampler->mover);
        *to = limit_read(sampler->read, s->matrix, 4 * s->n * s->stride);
    } else if (kind == NEXT_MATRIX)
        *to = read_write(s, sampler->mover);
    else
        *to = NAN; // a vector is soon read: there the launch counts
    sampler->limits[kind]++;
}

/* Of each round, in seconds; returns how many. */
static int samples_of(const struct solver *s, enum kind kind, double *seconds)
{
    int count = 0, round = -1;
    for (int i = 0; i < s->event_count; i++) {
        if (s->events[i].kind != kind)
            continue;
        const struct interval interval = event_interval(s->events[i].event);
        if (s->events[i].round != round)
            seconds[count++] = 0; // a fill belongs to the kernel behind it
        round = s->events[i].round;
        seconds[count - 1] += interval.end - interval.start;
    }
    return count;
}

static void one_turn(struct solver *s, int turn)
{
    struct sampler *sampler = s->sampler;
    s->beside = beside;
    solve(s, true);
    s->beside = NULL;
    for (int kind = 0; kind < KINDS; kind++)
        sampler->parts[kind] += samples_of(s, kind, sampler->part[kind] + sampler->parts[kind]);
    solve(s, false); // undisturbed, and on a GPU without the clock, which takes time of its own
    sampler->wall[turn] = s->wall;
}

static void summarise(struct measured *m, struct sampler *sampler, int turns)
{
    const struct solver *s = &m->solver;
    double limit[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        const int count = sampler->parts[kind];
        double *ratio = allocate((count + 1) * sizeof *ratio);
        for (int i = 0; i < count; i++)
            ratio[i] = 100 * sampler->limit[kind][i] / sampler->part[kind][i];
        m->percent[kind] = statistics(ratio, count).median;
        m->part[kind] = statistics(sampler->part[kind], count).median;
        limit[kind] = statistics(sampler->limit[kind], count).median;
        free(ratio);
    }
    m->wall = statistics(sampler->wall, turns).median;
    m->read = limit[ROW_SUMS];
    m->read_write = limit[NEXT_MATRIX];
    // The article's passes: in each round the matrix is read, then read and written.
    m->floor = (s->rounds + 1) * m->read + (s->rounds ? s->rounds * m->read_write : 0);
    m->percent_of_floor = 100 * m->floor / m->wall;
    m->right = judged(s, &m->truth, m->why);
}

void measure_versions(struct measured *versions, int count)
{
    struct sampler *samplers = allocate(count * sizeof *samplers);
    struct limit limit = limit_open(&versions->solver.device, 0);
    struct solver *first = &versions->solver;
    int turn = 0;
    for (int i = 0; i < count; i++) { // kernels are compiled, memory is touched
        struct solver *s = &versions[i].solver;
        const int most = s->most_rounds;
        s->most_rounds = 1;
        solve(s, true);
        s->most_rounds = most;
        s->sampler = &samplers[i];
        for (int kind = 0; kind < KINDS; kind++) {
            samplers[i].part[kind] = allocate(TURNS * (most + 1) * sizeof(double));
            samplers[i].limit[kind] = allocate(TURNS * (most + 1) * sizeof(double));
        }
    }
    limit_choose(&limit, first->matrix, 4 * first->n * first->stride);
    const struct mover *mover = best_mover(first);
    const double start = now();
    while (turn < TURNS && (turn < 1 || now() - start < (turn < LEAST_TURNS ? 6 : 1) * count)) {
        for (int i = 0; i < count; i++) {
            samplers[i].read = &limit;
            samplers[i].mover = mover;
            one_turn(&versions[i].solver, turn);
        }
        turn++;
    }
    for (int i = 0; i < count; i++) {
        summarise(&versions[i], &samplers[i], turn);
        for (int kind = 0; kind < KINDS; kind++) {
            free(samplers[i].part[kind]);
            free(samplers[i].limit[kind]);
        }
    }
    limit_close(&limit);
    free(samplers);
}
