/* The words that plans are written in. Each adds to run->plan what is carried out later. */
#include "plan_kernel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOO_LARGE "groups of %zu: this kernel takes at most %zu work-items here"

bool unsupported(struct run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!run->plan->reason[0]) // the first reason counts: what follows may follow from it
        vsnprintf(run->plan->reason, sizeof run->plan->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- geometry */
int load_width(struct run *run, int wanted)
{
    run->plan->asked |= ASKED_WIDTH;
    return run->width = run->plan->wanted.width ? run->plan->wanted.width : wanted;
}

void scratch_values(struct run *run, size_t count) { run->plan->scratch = count; }

uint64_t group_count(struct run *run, uint64_t wanted)
{
    run->plan->asked |= ASKED_GROUPS;
    return run->plan->wanted.groups ? run->plan->wanted.groups : wanted;
}

uint64_t busy_groups(struct run *run, uint64_t elements_each, uint64_t per_unit)
{
    uint64_t most = per_unit * run->device->compute_units;
    uint64_t busy = ceil_div(run->elements.count, elements_each);
    return group_count(run, busy < most ? busy : most);
}

static size_t lanes_dividing(size_t group, size_t lanes) // lanes is a power of two
{
    return smaller(lanes, group & (0 - group)); // the largest power of two that divides group
}

size_t lane_count(struct run *run, size_t group)
{
    struct plan *plan = run->plan;
    plan->asked |= ASKED_LANES;
    plan->in_runs = true;
    if (plan->back_end.why_not)
        unsupported(run, "%s", plan->back_end.why_not);
    return plan->lanes = lanes_dividing(group, plan->back_end.lanes ? plan->back_end.lanes : 1);
}

/* How many lanes a sub-group of the hardware's has in a group of that size. */
static size_t lanes_in(const struct run *run, const struct kernel *kernel, size_t group)
{
    size_t lanes = run->plan->back_end.lanes;
    if (lanes == 0 && kernel->kernel) // the compiler's choice
        CL(clGetKernelSubGroupInfo(kernel->kernel, run->device->id,
                                   CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, &group,
                                   sizeof lanes, &lanes, NULL));
    return lanes ? lanes : 1;
}

size_t group_size(struct run *run, size_t wanted)
{
    struct plan *plan = run->plan;
    const struct kernel *kernel = kernel_for(run, false);
    size_t limit = group_limit(run, kernel);
    size_t group = smaller(plan->wanted.group ? plan->wanted.group : wanted, limit);

    plan->asked |= ASKED_GROUP;
    if (plan->wanted.group > limit)
        return unsupported(run, TOO_LARGE, plan->wanted.group, limit), limit;
    if (needs(run, WORK_GROUP_REDUCE) && run->device->emulated && group < 3)
        unsupported(run, "groups of %zu: where sub-groups are emulated, work_group_reduce needs 3",
                    group);
    if (needs(run, SUB_GROUPS) && plan->back_end.stands_in)
        plan->lanes = lanes_dividing(group, plan->back_end.lanes);
    if (!needs(run, SUB_GROUPS) || plan->back_end.stands_in)
        return group;
    const size_t lanes = plan->lanes = lanes_in(run, kernel, group);
    if (lanes == 1)
        unsupported(run, "sub-groups of one lane exchange nothing: --subgroups local does as much");
    if (group % lanes != 0 && plan->wanted.group)
        unsupported(run, "groups of %zu: must be a multiple of the %zu lanes of a sub-group", group,
                    lanes);
    return group > lanes ? group - group % lanes : group;
}

void order_is_kept(struct run *run) { run->plan->keeps_order = true; }

/* ---- arrays and stages */
static struct array new_array(struct run *run, uint64_t count, const char *what)
{
    struct plan *plan = run->plan;
    const size_t bytes = run->operation->value_bytes;
    if (plan->owned_count == STAGES)
        fail("more than %d arrays in a plan", STAGES);
    if (count > UINT64_MAX / VALUE_BYTES - CANARIES)
        fail("%s: %" PRIu64 " values are too many", what, count);
    cl_mem buffer = buffer_create(run->device, (count + CANARIES) * bytes, what);
    return plan->owned[plan->owned_count++] = (struct array) { buffer, count, .partials = true };
}

struct array partials(struct run *run, uint64_t count)
{
    return new_array(run, count, "an array of partial results");
}

struct array single_pass(struct run *run, uint64_t groups)
{
    return run->result = run->plan->counted =
               partials(run, (needs(run, ONE_WORD) ? 1 : groups) + 3);
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
    for (int i = 0; i < plan->stage_count; i++)
        if (plan->stages[i].kind == LAUNCH)
            return &plan->stages[i];
    return NULL;
}

struct stage *stage(struct run *run, struct array in, struct array out, uint64_t groups,
                    size_t group)
{
    struct plan *plan = run->plan;
    const struct kernel *kernel = kernel_for(run, in.partials);
    const size_t limit = group_limit(run, kernel), scratch = group * scratch_bytes(run, kernel);
    const size_t lanes = plan->in_runs ? lanes_dividing(group, plan->lanes) : group;

    if (group > limit || group / lanes > run->device->group_limits[1])
        unsupported(run, TOO_LARGE, group, limit);
    if (groups > SIZE_MAX / group)
        fail("%" PRIu64 " groups of %zu are too many work-items", groups, group);
    if (plan->local_bytes < kernel->local_bytes + scratch)
        plan->local_bytes = kernel->local_bytes + scratch;
    if (plan->in_runs)
        plan->lanes = lanes;
    return add_stage(run, (struct stage) { in, out, groups, group, lanes, .kind = LAUNCH,
                                           .scratch_bytes = scratch,
                                           .dimensions = plan->in_runs ? 2 : 1, .kernel = kernel });
}

void fill(struct run *run, struct array accumulators)
{
    add_stage(run, (struct stage) { .out = accumulators, .kind = FILL });
}

void finish_on_host(struct run *run, struct array values)
{
    // Here, not inside the wall time.
    run->plan->copy = allocate(values.count * run->operation->value_bytes);
    add_stage(run, (struct stage) { .in = values, .kind = FINISH_ON_HOST, .adds = values.count });
}

/* ---- a plan as a whole */
static bool reorders(struct run *run)
{
    return unsupported(run,
                       "reorders the elements, and %s is not commutative (other variants and steps "
                       "keep the order; --force shows what comes out)",
                       run->operation->op);
}

/* Why it cannot be done here, as far as that is known before anything is compiled; or NULL. */
static const char *why_not(const struct run *run)
{
    const struct device *device = run->device;
    const struct operation *operation = run->operation;

    if (needs(run, WORK_GROUP_REDUCE) && !device->work_group_collectives)
        return "this device has no work_group_reduce functions";
    if (needs(run, SUB_GROUPS) && run->plan->back_end.why_not)
        return run->plan->back_end.why_not;
    if (!run->plan->atomics)
        return "no atomics of 64 bits on this device, which this operator and type need here; "
               "32-bit types, or a variant without atomics, do not";
    if (needs(run, ONE_WORD) && !meets_in_word(device, operation))
        return "groups meet in a word: sums of int and uint (64-bit atomics), min and max of 32 "
               "bits";
    if (needs(run, WORK_GROUP_REDUCE) && !operation->has_collective)
        return "OpenCL has no work_group_reduce for this operator: a variant that does without has "
               "its tree";
    if (operation->floating && operation->element_bytes == 8 && !device->doubles)
        return "no double on this device: float, int, uint, long and ulong are there";
    if (operation->has_index && run->elements.count > UINT64_C(1) << 32)
        return "an index of 32 bits is kept: at most 2^32 elements";
    return NULL;
}

bool plan_make(struct run *run, struct kernels *kernels, const char *kernel_file,
               struct back_end back_end, struct geometry wanted)
{
    struct plan *plan = run->plan = allocate(sizeof *plan);
    const bool any_order = run->operation->commutative || wanted.force;

    *plan = (struct plan) { kernels, kernel_file, back_end, wanted, .lanes = 1, .scratch = 1 };
    plan->keeps_order = run->variant->keeps_order == ALWAYS;
    plan->atomics = needs(run, ATOMICS) ? atomics_for(run->device, run->operation) : "none";
    run->width = 1;
    run->result = new_array(run, 1, "the result");
    plan->asked = needs(run, SUB_GROUPS) ? ASKED_LANES : 0;
    if (why_not(run))
        return unsupported(run, "%s", why_not(run));
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
