/* The words that plans are written in. Each adds to run->plan what is carried out later. */
#include "plan.h"

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

/* ---- kernels */
static bool needs(const struct run *run, enum needs need) { return run->variant->needs & need; }

/* The language, the operator and type, the width, the back end, the atomics. */
static void build_options(const struct run *run, bool partials, char *options, size_t size)
{
    const char *atomics = run->plan->atomics, *further = run->variant->options;
    const struct back_end *back_end = &run->plan->back_end;
    const bool native = strcmp(atomics, "native") == 0, ptx = strcmp(atomics, "ptx") == 0;
    const bool modern = (native && run->operation->floating) || needs(run, WORK_GROUP_REDUCE) ||
                        (needs(run, SUB_GROUPS) && back_end->new_words);
    const unsigned version = run->device->c_version >= 200 && modern ? run->device->c_version : 120;

    snprintf(options, size, "-cl-std=CL%u.%u -cl-kernel-arg-info %s -D WIDTH=%d%s%s%s%s%s %s",
             version / 100, version / 10 % 10, run->operation->options, run->width,
             partials ? " -D PARTIALS" : "", needs(run, SUB_GROUPS) ? back_end->options : "",
             native ? " -D NATIVE_ATOMICS" : "", ptx ? " -D PTX_ATOMICS" : "",
             needs(run, ONE_WORD) ? " -D ONE_WORD" : "", further ? further : "");
}

/* The kernel for elements, or for partial results: one text, built twice where load() differs. That
 * of a sum or an extreme does not: its partial results are elements like any, and none is a NaN. */
static const struct kernel *kernel_for(struct run *run, bool partials)
{
    static const struct kernel none = { .arguments = 3, .group_limit = SIZE_MAX }; // never launched
    struct plan *plan = run->plan;
    const struct operation *operation = run->operation;
    char options[260];

    plan->asked |= ASKED_KERNEL;
    build_options(run, partials && operation->value_bytes != operation->element_bytes, options,
                  sizeof options);
    const struct kernel *kernel = kernel_get(plan->kernels, plan->kernel_file, "reduce", options);
    if (kernel)
        return kernel;
    plan->broken = true;
    unsupported(run, "%s does not compile for %s of %s", plan->kernel_file, operation->op,
                operation->type);
    return &none;
}

/* Of one work-item, in local memory. The kernel says itself whether it wants that. */
static size_t scratch_bytes(const struct run *run, const struct kernel *kernel)
{
    return kernel->arguments == 4 ? run->plan->scratch * run->operation->value_bytes : 0;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* The largest group that this kernel can run in here. */
static size_t group_limit(const struct run *run, const struct kernel *kernel)
{
    const struct device *device = run->device;
    size_t each = scratch_bytes(run, kernel), limit = device->group_limits[0];
    if (each)
        limit = smaller(limit, (device->local_bytes - kernel->local_bytes) / each);
    return smaller(limit, smaller(kernel->group_limit, device->group_limit));
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

static bool stands_in(const struct run *run) // local memory in the place of lanes of hardware
{
    return strcmp(run->plan->back_end.name, "local") == 0;
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
    if (needs(run, SUB_GROUPS) && stands_in(run))
        plan->lanes = lanes_dividing(group, plan->back_end.lanes);
    if (!needs(run, SUB_GROUPS) || stands_in(run))
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

/* ---- predictions */
unsigned sub_group_barriers(const struct run *run)
{
    // Lanes of hardware wait for nothing; the stand-in does LANES' rounds in smaller groups, too.
    size_t lanes = run->plan->back_end.lanes;
    return stands_in(run) && lanes > 1 ? 1 + ceil_log2(lanes) : 0;
}

unsigned tree_barriers(const struct run *run, size_t group)
{
    const size_t lanes = run->plan->lanes;
    unsigned rounds = 0;
    if (needs(run, WORK_GROUP_REDUCE))
        return UNKNOWN; // the built-in keeps its barriers to itself
    if (!needs(run, SUB_GROUPS))
        return ceil_log2(group);
    if (stands_in(run)) // by pairs
        return sub_group_barriers(run) + 1 + ceil_log2(group / lanes);
    for (size_t left = group / lanes; left > 1 && lanes > 1; left = ceil_div(left, lanes))
        rounds++;
    return 2 * rounds;
}

void predict_tree(struct stage *stage, unsigned width, unsigned barriers)
{
    stage->adds = ceil_div(stage->in.count, width * stage->groups * stage->group);
    stage->depth = ceil_log2(width) + ceil_log2(stage->group);
    stage->barriers = barriers;
}

void predict_single_pass(struct run *run, struct stage *only, unsigned width)
{
    const uint64_t groups = only->groups;
    const bool word = needs(run, ONE_WORD), adds = run->operation->meets == BY_ADDING;

    // Without a word the last group builds a second tree: it waits more often than the others.
    predict_tree(only, width, word ? tree_barriers(run, only->group) : UNKNOWN);
    if (groups > 1)
        only->global_atomics = !word ? 3 * groups + 1 : adds ? groups + 1 : 2 * groups + 2;
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
