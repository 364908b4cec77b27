/* Every launch goes through part_launch. Events are asked for their times when all is done, so that
 * nothing waits for a clock. */
#include "solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Floats that a row is padded to; spare rows for the last four; commands of a round, at most.
enum { VECTOR = 16, SPARE_ROWS = 3, COMMANDS = 10 };

static const struct part stop_test = { STOP, "12_stop.cl", "stop", "min", "uint", ITEMS };

static uint64_t padded(uint64_t n) { return ceil_div(n, VECTOR) * VECTOR; }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* ---- arrays */
void solver_must_fit(const struct device *device, uint64_t n, int versions)
{
    const double bytes = 4.0 * (n + SPARE_ROWS) * padded(n), all = (double)device->memory_bytes,
                 most = fmin((double)device->buffer_bytes, all / (versions + 1)); // and the host's
    if (bytes > most)
        fail("a matrix of %.0f x %.0f needs %.3g GiB, but this device has room for %d of %.3g GiB",
             (double)n, (double)n, bytes / 0x1p30, versions, most / 0x1p30);
}

/* Zeros behind n floats add nothing to a sum, and stay zeros when they are scaled. */
static cl_mem floats(const struct solver *s, uint64_t count, const char *what)
{
    const float zero = 0;
    cl_mem buffer = buffer_create(&s->device, count * sizeof zero, what);
    buffer_fill(&s->device, buffer, &zero, sizeof zero, 0, count * sizeof zero);
    return buffer;
}

static bool is_ours(const struct part *part) { return part->shape >= FOUR_ROWS; }

/* Built with what the part's operator and this device need. */
static const struct kernel *kernel_of(const struct solver *s, const struct part *part)
{
    const struct back_end *end = is_ours(part) ? &s->ours : &s->back_end;
    const struct operation *operation = operation_find(part->op, part->type);
    const char *atomics = atomics_for(&s->device, operation);
    const bool native = strcmp(atomics, "native") == 0, ptx = strcmp(atomics, "ptx") == 0,
               modern = end->modern || (native && operation->floating);
    const unsigned version = s->device.c_version >= 200 && modern ? s->device.c_version : 120;
    char options[260];
    snprintf(options, sizeof options, "-cl-std=CL%u.%u %s -D WIDTH=%d%s%s%s -D BY_FMIN",
             version / 100, version / 10 % 10, operation->options, end->lanes == 1 ? VECTOR : 4,
             end->options, native ? " -D NATIVE_ATOMICS" : "", ptx ? " -D PTX_ATOMICS" : "");
    return kernel_get(&s->device, part->file, part->function, options);
}

/* Where only the compiler knows how many lanes a sub-group has. */
static size_t lanes_of(const struct solver *s, const struct part *part)
{
    size_t lanes = is_ours(part) ? s->ours.lanes : s->back_end.lanes, group[2] = { 256, 1 };
    const struct kernel *kernel = lanes ? NULL : kernel_of(s, part);
    if (kernel)
        CL(clGetKernelSubGroupInfo(kernel->kernel, s->device.id,
                                   CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, group,
                                   sizeof lanes, &lanes, NULL));
    return lanes ? lanes : 1;
}

void solver_open(struct solver *s)
{
    s->stride = padded(s->n);
    s->lanes = s->article_stop || !is_ours(s->version->row_sums) ? lanes_of(s, &stop_test) : 1;
    s->across = is_ours(s->version->row_sums) ? lanes_of(s, s->version->row_sums) : 1;
    if (s->device.gpu) // it has room for more work-items than n / 4 sub-groups have
        s->across *= 4;
    s->least_group = s->across > s->lanes ? s->across : s->lanes;
    if (s->group % s->least_group != 0)
        fail("--group %zu: must be a multiple of %zu here", s->group, s->least_group);
    s->matrix = floats(s, (s->n + SPARE_ROWS) * s->stride, "the matrix");
    s->sums = floats(s, s->stride, "the row sums");
    s->next_sums = floats(s, s->stride, "the next row sums");
    s->vector = floats(s, s->stride, "the eigenvector");
    s->maximum = floats(s, 2, "the bounds");
    s->flag = floats(s, 1, "the stop test's flag");
    s->bounds = allocate((s->most_rounds + 1) * sizeof *s->bounds);
    s->events = allocate((s->most_rounds + 1) * COMMANDS * sizeof *s->events);
    CL(clFinish(s->device.queue)); // what comes next may come on another queue
}

void solver_close(struct solver *s)
{
    cl_mem *const all[] = {
        &s->matrix, &s->sums, &s->next_sums, &s->vector, &s->maximum, &s->flag
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CL(clReleaseMemObject(*all[i]));
    for (int i = 0; i < s->event_count; i++)
        CL(clReleaseEvent(s->events[i].event));
    free(s->bounds);
    free(s->events);
}

/* ---- launching */
/* Of work-items: what --group says, or the article's half of what the device can, or ours. */
static size_t group_of(const struct solver *s, const struct part *part, const struct kernel *kernel)
{
    const size_t lanes = is_ours(part) ? s->across : s->lanes, limit = kernel->group_limit,
                 article = smaller(ceil_div(s->n, lanes) * lanes, s->device.group_limit / 2),
                 rows = s->device.gpu ? 256 : 16 * lanes, one = s->device.gpu ? 1024 : lanes,
                 own = part->shape == ONE_GROUP ? one
                       : is_ours(part)          ? rows
                                                : article,
                 wanted = s->group && part->shape != ONE_GROUP ? s->group : own;
    if (wanted > limit && s->group == wanted)
        fail("--group %zu: %s takes at most %zu work-items here", wanted, part->file, limit);
    return smaller(wanted, limit < lanes ? limit : limit / lanes * lanes);
}

const struct ready *part_ready(struct solver *s, const struct part *part)
{
    struct ready *ready = s->ready;
    while (ready->part && ready->part != part)
        ready++;
    if (!ready->part) {
        const struct kernel *kernel = kernel_of(s, part);
        *ready = (struct ready) { part, kernel, group_of(s, part, kernel) };
    }
    return ready;
}

static cl_event *new_event(struct solver *s, enum kind kind)
{
    if (s->device.queue != s->device.profiled)
        return NULL;
    s->events[s->event_count] = (struct event) { NULL, kind, s->rounds };
    return &s->events[s->event_count++].event;
}

void part_launch(struct solver *s, const struct ready *ready)
{
    const enum shape shape = ready->part->shape;
    const size_t lanes = shape == FOUR_ROWS ? s->across : ready->group;
    const size_t local[2] = { lanes, ready->group / lanes };
    const size_t across = shape >= FOUR_ROWS ? lanes : s->n, fours = ceil_div(s->n, 4);
    const size_t items[2] = { across, shape == FOUR_ROWS ? fours : shape == CELLS ? s->n : 1 };
    const size_t global[2] = { ceil_div(items[0], local[0]) * local[0],
                               ceil_div(items[1], local[1]) * local[1] };
    CL(clEnqueueNDRangeKernel(s->device.queue, ready->kernel->kernel, 2, NULL, global, local, 0,
                              NULL, new_event(s, ready->part->kind)));
    if (s->beside)
        s->beside(s, ready->part->kind);
}

void clear(struct solver *s, const struct part *part, cl_mem buffer, uint64_t count)
{
    const struct operation *operation = operation_find(part->op, part->type);
    CL(clEnqueueFillBuffer(s->device.queue, buffer, operation->identity, operation->value_bytes, 0,
                           count * operation->value_bytes, 0, NULL, new_event(s, part->kind)));
}

/* ---- stop tests */
bool neighbours_are_near(struct solver *s)
{
    cl_uint near;
    clear(s, &stop_test, s->flag, 1);
    RUN(s, &stop_test, ARRAY(s->sums), NUMBER(s->n), NUMBER(s->tolerance), ARRAY(s->flag));
    buffer_read(&s->device, s->flag, 0, sizeof near, &near);
    return near == 1;
}

/* From the sums themselves, where no part has found the least of them, and at the end. */
static struct bounds bounds_of_sums(struct solver *s)
{
    float *sums = allocate(s->n * sizeof *sums);
    buffer_read(&s->device, s->sums, 0, s->n * sizeof *sums, sums);
    struct bounds bounds = { sums[0], sums[0], 0 };
    for (cl_ulong i = 0; i < s->n; i++) { // a NaN stays
        const float apart = fabsf(sums[i] - sums[(i + 1) % s->n]);
        bounds.least = sums[i] >= bounds.least ? bounds.least : sums[i];
        bounds.largest = sums[i] <= bounds.largest ? bounds.largest : sums[i];
        bounds.apart = apart <= bounds.apart ? bounds.apart : apart;
    }
    s->first_sum = sums[0];
    free(sums);
    return bounds;
}

bool bounds_are_near(struct solver *s)
{
    struct bounds *bounds = &s->bounds[s->rounds];
    if (s->version->eigenvector)
        *bounds = bounds_of_sums(s);
    else
        buffer_read(&s->device, s->maximum, 0, 2 * sizeof(float), bounds);
    return bounds->largest - bounds->least <= s->tolerance * bounds->largest;
}

/* ---- the whole */
bool solve(struct solver *s, bool clocked)
{
    const struct device device = s->device;
    const float one = 1;
    for (int i = 0; i < s->event_count; i++)
        CL(clReleaseEvent(s->events[i].event));
    s->event_count = 0;
    if (clocked)
        s->device.queue = device.profiled;
    for (cl_ulong row = 0; row < s->n && s->stride != s->n; row++)
        buffer_write(&s->device, s->matrix, 4 * row * s->stride, 4 * s->n, s->a + row * s->n);
    if (s->stride == s->n)
        buffer_write(&s->device, s->matrix, 0, 4 * s->n * s->n, s->a);
    buffer_fill(&s->device, s->vector, &one, sizeof one, 0, s->n * sizeof one);
    CL(clFinish(s->device.queue));

    const double start = now();
    s->rounds = 0;
    s->converged = s->iterate(s);
    CL(clFinish(s->device.queue));
    s->wall = now() - start;
    s->bounds[s->rounds] = bounds_of_sums(s);
    if (isinf(s->bounds[s->rounds].largest))
        fail("in round %d a row sum is more than a float holds: the rows differ too much",
             s->rounds);
    s->device = device;
    return s->converged;
}

void solver_vector(const struct solver *s, float *vector)
{
    buffer_read(&s->device, s->vector, 0, s->n * sizeof *vector, vector);
}

float *solver_matrix(const struct solver *s)
{
    float *cells = allocate(4 * s->n * s->stride);
    buffer_read(&s->device, s->matrix, 0, 4 * s->n * s->stride, cells);
    return cells;
}
