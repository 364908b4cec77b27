#include "solver.h"

#include <math.h>
#include <stdlib.h>

enum {
    SPARE_ROWS = 3,         // after the last row, for kernels that read four rows at a time
    ROUND_COMMANDS_MAX = 10 // commands with an event in one round
};

static const struct part stop_test = { STOP, "beyond/12_stop.cl", "stop", "min", "uint", ITEMS };

/* ---- the arrays */
static uint64_t padded(uint64_t n) { return ceil_div(n, ROW_FLOATS) * ROW_FLOATS; }

void check_room(const struct device *device, uint64_t n, int versions)
{
    const double bytes = 4.0 * (n + SPARE_ROWS) * padded(n);
    // There is one matrix more, because the memory of a CPU also holds the host's copy of A.
    const double room =
        fmin((double)device->buffer_bytes, (double)device->memory_bytes / (versions + 1));
    if (bytes > room)
        fail("a matrix of %.0f x %.0f needs %.3g GiB, but this device has room for %d of %.3g GiB",
             (double)n, (double)n, bytes / 0x1p30, versions, room / 0x1p30);
}

static void fill_floats(const struct solver *s, cl_mem buffer, float value, uint64_t count)
{
    CL(clEnqueueFillBuffer(s->device->queue, buffer, &value, sizeof value, 0, count * sizeof value,
                           0, NULL, NULL));
}

/* The padding after n floats holds zeros. They add nothing to a sum, and scaling keeps them 0. */
static cl_mem create_zeros(const struct solver *s, uint64_t count, const char *what)
{
    cl_mem buffer = create_buffer(s->device, count * sizeof(float), what);
    fill_floats(s, buffer, 0, count);
    return buffer;
}

void open_solver(struct solver *s)
{
    const struct part *row_sums = s->version->row_sums;
    s->stride = padded(s->n);
    s->lanes = s->article_stop || !is_ours(row_sums) ? find_lanes(s, &stop_test) : 1;
    s->row_items = is_ours(row_sums) ? find_lanes(s, row_sums) : 1;
    if (s->device->is_gpu) // n / 4 sub-groups would not keep a GPU busy
        s->row_items *= 4;
    s->group_unit = s->row_items > s->lanes ? s->row_items : s->lanes; // both are powers of two
    if (s->group_size % s->group_unit != 0)
        fail("--group %zu: must be a multiple of %zu here", s->group_size, s->group_unit);

    s->matrix = create_zeros(s, (s->n + SPARE_ROWS) * s->stride, "the matrix");
    s->sums = create_zeros(s, s->stride, "the row sums");
    s->next_sums = create_zeros(s, s->stride, "the next row sums");
    s->vector = create_zeros(s, s->stride, "the eigenvector");
    s->maximum = create_zeros(s, 2, "the bounds");
    s->flag = create_zeros(s, 1, "the stop test's flag");
    s->bounds = allocate((s->rounds_max + 1) * sizeof *s->bounds);
    s->events = allocate((s->rounds_max + 1) * ROUND_COMMANDS_MAX * sizeof *s->events);
    CL(clFinish(s->device->queue)); // the next command may use another queue
}

static void release_events(struct solver *s)
{
    for (int i = 0; i < s->event_count; i++)
        CL(clReleaseEvent(s->events[i].event));
    s->event_count = 0;
}

void close_solver(struct solver *s)
{
    const cl_mem buffers[] = { s->matrix, s->sums, s->next_sums, s->vector, s->maximum, s->flag };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        CL(clReleaseMemObject(buffers[i]));
    release_events(s);
    free(s->bounds);
    free(s->events);
}

/* ---- stop tests */
bool neighbours_are_near(struct solver *s, cl_command_queue queue)
{
    const struct argument arguments[] = { ARGUMENT(s->sums), ARGUMENT(s->n), ARGUMENT(s->tolerance),
                                          ARGUMENT(s->flag) };
    cl_uint near;
    fill_with_identity(s, queue, &stop_test, s->flag, 1);
    launch_part(s, queue, &stop_test, arguments, 4);
    CL(clEnqueueReadBuffer(queue, s->flag, CL_TRUE, 0, sizeof near, &near, 0, NULL, NULL));
    return near == 1;
}

/* Computes the bounds on the host, from the row sums themselves. */
static struct bounds compute_bounds(struct solver *s, cl_command_queue queue)
{
    float *sums = allocate(s->n * sizeof *sums);
    CL(clEnqueueReadBuffer(queue, s->sums, CL_TRUE, 0, s->n * sizeof *sums, sums, 0, NULL, NULL));
    struct bounds bounds = { sums[0], sums[0], 0 };
    for (cl_ulong i = 0; i < s->n; i++) {
        const float gap = fabsf(sums[i] - sums[(i + 1) % s->n]);
        bounds.smallest = sums[i] >= bounds.smallest ? bounds.smallest : sums[i];
        bounds.largest = sums[i] <= bounds.largest ? bounds.largest : sums[i];
        bounds.gap = gap <= bounds.gap ? bounds.gap : gap;
    }
    s->first_sum = sums[0];
    free(sums);
    return bounds;
}

bool bounds_are_near(struct solver *s, cl_command_queue queue)
{
    struct bounds *bounds = &s->bounds[s->rounds];
    float found[2]; // the smallest and the largest row sum, by 12_bounds.cl
    if (s->version->eigenvector) {
        *bounds = compute_bounds(s, queue);
    } else {
        CL(clEnqueueReadBuffer(queue, s->maximum, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
        bounds->smallest = found[0];
        bounds->largest = found[1];
    }
    return bounds->largest - bounds->smallest <= s->tolerance * bounds->largest;
}

/* ---- a solution */
static void write_matrix(const struct solver *s, cl_command_queue queue)
{
    const bool is_whole = s->stride == s->n; // no padding between the rows
    const cl_ulong rows = is_whole ? 1 : s->n, floats = is_whole ? s->n * s->n : s->n;
    for (cl_ulong row = 0; row < rows; row++)
        CL(clEnqueueWriteBuffer(queue, s->matrix, CL_TRUE, row * s->stride * sizeof *s->a,
                                floats * sizeof *s->a, s->a + row * s->n, 0, NULL, NULL));
}

void solve(struct solver *s, cl_command_queue queue)
{
    release_events(s);
    write_matrix(s, queue);
    fill_floats(s, s->vector, 1, s->n);
    CL(clFinish(s->device->queue));

    const double start = now();
    s->rounds = 0;
    s->has_converged = s->iterate(s, queue);
    CL(clFinish(queue));
    s->wall = now() - start;
    s->bounds[s->rounds] = compute_bounds(s, queue);
    if (isinf(s->bounds[s->rounds].largest))
        fail("in round %d a row sum is more than a float holds: the rows of the matrix differ too "
             "much",
             s->rounds);
}

void read_vector(const struct solver *s, float *vector)
{
    CL(clEnqueueReadBuffer(s->device->queue, s->vector, CL_TRUE, 0, s->n * sizeof *vector, vector,
                           0, NULL, NULL));
}
