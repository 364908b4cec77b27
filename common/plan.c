/* The words that plans are written in. Each adds to run->plan what verify.c later carries out.
 *
 * A word that finds something unsupported notes the reason and goes on with a legal value, so that
 * a plan reads straight down, without a test after every line.
 */
#include "plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

bool unsupported(struct run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!run->plan->reason[0]) // the first reason counts: what follows may follow from it
        vsnprintf(run->plan->reason, sizeof run->plan->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* The kernel for elements, or for partial results: one text, built twice where load() differs. That
 * of a sum or an extreme does not: its partial results are elements like any, and none is a NaN. */
static const struct kernel *kernel_for(struct run *run, bool partials)
{
    struct plan *plan = run->plan;
    char options[BUILD_OPTIONS];

    plan->asked |= ASKED_KERNEL;
    plan->atomics =
        run->variant->needs & ATOMICS ? atomics_for(run->device, run->operation) : "none";
    build_options(run, partials && run->operation->value_bytes != run->operation->element_bytes,
                  options);
    const struct kernel *kernel = kernel_get(plan->kernels, plan->kernel_file, "reduce", options);
    if (!kernel) {
        static const struct kernel none = { .arguments = 3,
                                            .group_limit =
                                                SIZE_MAX }; // a legal one, never launched
        unsupported(run, "%s does not compile for %s of %s", plan->kernel_file, run->operation->op,
                    run->operation->type);
        plan->broken = true;
        return &none;
    }
    return kernel;
}

/* The kernel says itself whether it wants local memory: by its number of arguments. */
static bool takes_scratch(const struct kernel *kernel) { return kernel->arguments == 4; }

/* Of one work-item, in local memory. */
static size_t scratch_bytes(const struct run *run)
{
    return run->operation->value_bytes * (run->variant->scratch ? run->variant->scratch : 1);
}

/* The largest group that this kernel can run in here: one scratch value per work-item must fit. */
static size_t kernel_group_limit(const struct run *run, const struct kernel *kernel)
{
    size_t limit = smaller(kernel->group_limit, run->device->group_limit);
    if (takes_scratch(kernel))
        limit =
            smaller(limit, (run->device->local_bytes - kernel->local_bytes) / scratch_bytes(run));
    return limit;
}

/* How many lanes a sub-group has in a group of that size. */
static size_t lanes_in(struct run *run, size_t group)
{
    size_t lanes = run->plan->back_end.lanes;
    const struct kernel *kernel = kernel_for(run, false);
    if (lanes == 0 && kernel->kernel)
        CL(clGetKernelSubGroupInfo(kernel->kernel, run->device->id,
                                   CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, &group,
                                   sizeof lanes, &lanes, NULL));
    return lanes ? lanes : 1;
}

size_t group_size(struct run *run, size_t wanted)
{
    struct plan *plan = run->plan;
    const struct kernel *kernel = kernel_for(run, false);
    size_t limit = smaller(kernel_group_limit(run, kernel), run->device->group_limits[0]);
    size_t group = smaller(plan->wanted.group ? plan->wanted.group : wanted, limit);

    plan->asked |= ASKED_GROUP;
    if (plan->wanted.group > limit)
        unsupported(run, "groups of %zu: this kernel takes at most %zu work-items here",
                    plan->wanted.group, limit);
    if ((run->variant->needs & WORK_GROUP_REDUCE) && run->device->emulated && group < 3)
        unsupported(
            run,
            "groups of %zu: where sub-groups are emulated, work_group_reduce needs 3 work-items",
            group);
    if (run->variant->needs & SUB_GROUPS) {
        bool native = strcmp(plan->back_end.name, "local") != 0;
        plan->asked |= ASKED_LANES;
        plan->lanes = lanes_in(run, group);
        if (native && plan->lanes == 1)
            unsupported(
                run,
                "sub-groups of one lane, with nothing to exchange: --subgroups local does as much");
        if (native && group % plan->lanes != 0 && plan->wanted.group)
            unsupported(run, "groups of %zu: must be a multiple of the %zu lanes of a sub-group",
                        group, plan->lanes);
        if (native && group > plan->lanes)
            group -= group % plan->lanes;
    }
    return group;
}

uint64_t group_count(struct run *run, uint64_t wanted)
{
    run->plan->asked |= ASKED_GROUPS;
    return run->plan->wanted.groups ? run->plan->wanted.groups : wanted;
}

uint64_t busy_groups(struct run *run, uint64_t each, uint64_t per_unit)
{
    uint64_t most = per_unit * run->device->compute_units,
             busy = ceil_div(run->elements.count, each);
    return group_count(run, busy < most ? busy : most);
}

void order_is_kept(struct run *run) { run->plan->keeps_order = true; }

/* An array with canaries behind it, released with the plan. */
static struct array new_span(struct run *run, uint64_t count, const char *what)
{
    struct plan *plan = run->plan;
    if (plan->owned_count == STAGES)
        fail("more than %d arrays in a plan", STAGES);
    struct array span = { .count = count, .partials = true };
    if (count > UINT64_MAX / VALUE_BYTES - CANARIES)
        fail("%s: %" PRIu64 " values are too many", what, count);
    span.buffer =
        buffer_create(run->device, (count + CANARIES) * run->operation->value_bytes, what);
    return plan->owned[plan->owned_count++] = span;
}

struct array partials(struct run *run, uint64_t count)
{
    return new_span(run, count, "an array of partial results");
}

/* From here on the run's result is the first value there, and the last two what the groups meet in.
 */
struct array one_launch(struct run *run, uint64_t groups)
{
    uint64_t values = run->variant->needs & ONE_WORD ? 1 : groups;
    struct array span = run->plan->counted = partials(run, values + 3);
    run->result = span;
    return span;
}

struct stage *add_stage(struct run *run, struct stage stage)
{
    struct plan *plan = run->plan;
    if (plan->stage_count == STAGES)
        fail("more than %d stages: does each of them leave fewer values than it gets?", STAGES);
    plan->stages[plan->stage_count] = stage;
    return &plan->stages[plan->stage_count++];
}

const struct stage *first_launch(const struct plan *plan)
{
    for (const struct stage *stage = plan->stages; stage < plan->stages + plan->stage_count;
         stage++)
        if (stage->kind == LAUNCH)
            return stage;
    return NULL;
}

/* Checks one launch against the limits of device and kernel, and adds it. */
static struct stage *launch(struct run *run, struct array in, struct array out, uint64_t groups,
                            size_t lanes, size_t runs, cl_uint dimensions)
{
    struct plan *plan = run->plan;
    const struct kernel *kernel = kernel_for(run, in.partials);
    size_t group = lanes * runs, scratch = group * scratch_bytes(run);

    if (group > kernel_group_limit(run, kernel) || runs > run->device->group_limits[1])
        unsupported(run, "groups of %zu: this kernel takes at most %zu work-items here", group,
                    kernel_group_limit(run, kernel));
    if (groups > SIZE_MAX / group)
        fail("%" PRIu64 " groups of %zu are too many work-items", groups, group);
    cl_ulong local_bytes = kernel->local_bytes + (takes_scratch(kernel) ? scratch : 0);
    if (local_bytes > plan->local_bytes)
        plan->local_bytes = local_bytes;
    return add_stage(run, (struct stage) { .in = in,
                                           .out = out,
                                           .groups = groups,
                                           .group = group,
                                           .lanes = lanes,
                                           .scratch_bytes = scratch,
                                           .dimensions = dimensions,
                                           .kind = LAUNCH,
                                           .kernel = kernel });
}

struct stage *stage(struct run *run, struct array in, struct array out, uint64_t groups,
                    size_t group)
{
    return launch(run, in, out, groups, group, 1, 1);
}

struct stage *stage_2d(struct run *run, struct array in, struct array out, uint64_t groups,
                       size_t lanes, size_t runs)
{
    return launch(run, in, out, groups, lanes, runs, 2);
}

void fill(struct run *run, struct array accumulators)
{
    add_stage(run, (struct stage) { .out = accumulators, .kind = FILL });
}

void predict_tree(struct stage *stage, unsigned width, unsigned barriers)
{
    stage->adds = ceil_div(stage->in.count, width * stage->groups * stage->group);
    stage->depth = ceil_log2(width) + ceil_log2(stage->group);
    stage->barriers = barriers;
}

void finish_on_host(struct run *run, struct array values)
{
    run->plan->copy =
        allocate(values.count * run->operation->value_bytes); // here, not inside the wall time
    add_stage(run, (struct stage) { .in = values, .kind = FINISH_ON_HOST, .adds = values.count });
}

static bool reorders(struct run *run)
{
    return unsupported(run,
                       "reorders the elements, and %s is not commutative (steps 01, 03 and 08 keep "
                       "the order, 05 and "
                       "06 with --variant associative; --force shows what comes out)",
                       run->operation->op);
}

bool plan_make(struct run *run, struct kernels *kernels, const char *kernel_file,
               struct back_end back_end, struct geometry wanted)
{
    struct plan *plan = run->plan = allocate(sizeof *run->plan);
    plan->kernels = kernels;
    plan->kernel_file = kernel_file;
    plan->back_end = back_end;
    plan->wanted = wanted;
    run->width = run->variant->width ? run->variant->width : 1;
    plan->keeps_order = run->variant->keeps_order == ALWAYS;
    run->result = new_span(run, 1, "the result");
    if ((run->variant->needs & WORK_GROUP_REDUCE) && !run->device->work_group_collectives)
        return unsupported(run, "this device has no work_group_reduce functions");
    if ((run->variant->needs & SUB_GROUPS) && back_end.why_not) {
        plan->asked |= ASKED_LANES;
        return unsupported(run, "%s", back_end.why_not);
    }
    if ((run->variant->needs & ATOMICS) && !atomics_for(run->device, run->operation))
        return unsupported(run,
                           "no atomics of 64 bits on this device: %s of %s needs them here; 32-bit "
                           "types, or a variant "
                           "without atomics, do not",
                           run->operation->op, run->operation->type);
    if ((run->variant->needs & ONE_WORD) && !meets_in_word(run->device, run->operation))
        return unsupported(
            run,
            "groups meet in a word: sums of int and uint (64-bit atomics), min and max of 32 bits");
    if ((run->variant->needs & WORK_GROUP_REDUCE) && strcmp(run->operation->op, "hash") == 0)
        return unsupported(
            run,
            "OpenCL has no work_group_reduce for hash: sum, min, max and their indices have one");
    if (strcmp(run->operation->type, "double") == 0 && !run->device->doubles)
        return unsupported(run,
                           "no double on this device: float, int, uint, long and ulong are there");
    if (run->operation->has_index && run->elements.count > UINT64_C(1) << 32)
        return unsupported(run, "%s keeps an index of 32 bits: at most 2^32 elements",
                           run->operation->op);
    const bool any_order = run->operation->commutative || wanted.force;
    if (!any_order && run->variant->keeps_order == NEVER) // said before anything is compiled
        return reorders(run);
    if (!run->variant->plan(run) || plan->reason[0])
        return false;
    return any_order || plan->keeps_order || reorders(run);
}

void plan_release(struct run *run)
{
    for (int i = 0; i < run->plan->owned_count; i++)
        CL(clReleaseMemObject(run->plan->owned[i].buffer));
    free(run->plan->copy);
    free(run->plan);
    run->plan = NULL;
}
