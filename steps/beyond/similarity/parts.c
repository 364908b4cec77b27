#include "parts.h"

#include "solver.h"
#include <stdio.h>
#include <string.h>

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

bool is_ours(const struct part *part)
{
    return part->shape == FOUR_ROWS || part->shape == ONE_GROUP;
}

/* ---- a kernel and its group */
static const struct kernel *build_part(const struct solver *s, const struct part *part)
{
    const struct back_end *back_end = is_ours(part) ? &s->own_back_end : &s->article_back_end;
    const struct operation *operation = find_operation(part->op, part->type);
    const struct atomics atomics = choose_atomics(s->device, operation);
    const bool needs_version_2 = back_end->needs_version_2 || atomics.needs_version_2;
    const unsigned version =
        s->device->c_version >= 200 && needs_version_2 ? s->device->c_version : 120;
    char options[260];
    snprintf(options, sizeof options, "-cl-std=CL%u.%u %s -D WIDTH=%d%s%s -D BY_FMIN",
             version / 100, version / 10 % 10, operation->options,
             back_end->lanes == 1 ? ROW_FLOATS : 4, back_end->options, atomics.options);
    return get_kernel(s->device, part->file, part->function, options);
}

size_t find_lanes(const struct solver *s, const struct part *part)
{
    const struct back_end *back_end = is_ours(part) ? &s->own_back_end : &s->article_back_end;
    size_t lanes = back_end->lanes, group[2] = { 256, 1 };
    if (lanes == 0)
        CL(clGetKernelSubGroupInfo(build_part(s, part)->kernel, s->device->id,
                                   CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, group,
                                   sizeof lanes, &lanes, NULL));
    return lanes ? lanes : 1;
}

/* Returns the size of --group. Without --group, the article's parts have half of the largest group
 * that the device allows, and our own parts have other sizes. */
static size_t choose_part_group_size(const struct solver *s, const struct part *part,
                                     const struct kernel *kernel)
{
    const bool gpu = s->device->is_gpu;
    const size_t lanes = is_ours(part) ? s->row_items : s->lanes, largest = kernel->largest_group,
                 article = smaller(ceil_div(s->n, lanes) * lanes, s->device->largest_group / 2),
                 usual = part->shape == ONE_GROUP   ? (gpu ? 1024 : lanes)
                         : part->shape == FOUR_ROWS ? (gpu ? 256 : 16 * lanes)
                                                    : article;
    const bool is_given = s->group_size && part->shape != ONE_GROUP;
    if (is_given && s->group_size > largest)
        fail("--group %zu: %s accepts at most %zu work-items on this device", s->group_size,
             part->file, largest);
    return smaller(is_given ? s->group_size : usual,
                   largest < lanes ? largest : largest / lanes * lanes);
}

/* Returns a part with its kernel, which is built when the part is launched for the first time. */
static const struct prepared_part *prepare_part(struct solver *s, const struct part *part)
{
    struct prepared_part *prepared = s->parts;
    while (prepared->part && prepared->part != part)
        prepared++;
    if (!prepared->part) {
        const struct kernel *kernel = build_part(s, part);
        *prepared =
            (struct prepared_part) { part, kernel, choose_part_group_size(s, part, kernel) };
    }
    return prepared;
}

/* ---- commands */

/* Returns a place for the next command's event, or NULL if the queue does not measure times. */
static cl_event *add_event(struct solver *s, cl_command_queue queue, enum part_kind kind)
{
    if (queue != s->device->profiled_queue)
        return NULL;
    s->events[s->event_count] = (struct timed_event) { NULL, kind, s->rounds };
    return &s->events[s->event_count++].event;
}

void launch_part(struct solver *s, cl_command_queue queue, const struct part *part,
                 const struct argument *arguments, cl_uint count)
{
    const struct prepared_part *prepared = prepare_part(s, part);
    const struct kernel *kernel = prepared->kernel;
    const size_t group_size = prepared->group_size;
    // The work-items along a row, and the rows. In our own shapes one group covers a whole row.
    const size_t along = part->shape == FOUR_ROWS ? s->row_items : group_size,
                 local[2] = { along, group_size / along },
                 items[2] = { is_ours(part) ? along : s->n, part->shape == FOUR_ROWS
                                                                ? ceil_div(s->n, 4)
                                                            : part->shape == CELLS ? s->n
                                                                                   : 1 },
                 global[2] = { ceil_div(items[0], local[0]) * local[0],
                               ceil_div(items[1], local[1]) * local[1] };

    for (cl_uint i = 0; i < count; i++)
        CL(clSetKernelArg(kernel->kernel, i, arguments[i].bytes, arguments[i].value));
    if (kernel->argument_count > count)
        CL(clSetKernelArg(kernel->kernel, count, group_size * sizeof(float), NULL));
    CL(clEnqueueNDRangeKernel(queue, kernel->kernel, 2, NULL, global, local, 0, NULL,
                              add_event(s, queue, part->kind)));
    if (s->after_launch)
        s->after_launch(s, part->kind);
}

void fill_with_identity(struct solver *s, cl_command_queue queue, const struct part *part,
                        cl_mem array, uint64_t count)
{
    const struct operation *operation = find_operation(part->op, part->type);
    CL(clEnqueueFillBuffer(queue, array, operation->identity, operation->value_bytes, 0,
                           count * operation->value_bytes, 0, NULL,
                           add_event(s, queue, part->kind)));
}
