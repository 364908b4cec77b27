/* The words that plans are written in. Each adds to run what is carried out later. */
#include "plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool needs(const struct run *run, unsigned any) { return run->variant->needs & any; }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

bool unsupported(struct run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!run->reason[0]) // the first reason counts: what follows may follow from it
        vsnprintf(run->reason, sizeof run->reason, format, arguments);
    va_end(arguments);
    return false;
}

bool wrong(struct run *run, const char *format, ...)
{
    const size_t length = strlen(run->reason);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->reason + length, sizeof run->reason - length, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- the kernel, and what it can run in */
/* For elements, or for partial results: one text, built twice where load() differs. That of most
 * sums and extremes does not: a partial result is an element like any, and no extreme is a NaN. */
static const struct kernel *kernel_for(struct run *run, bool partials)
{
    static const struct kernel none = { .arguments = 3, .group_limit = SIZE_MAX }; // never launched
    const struct operation *operation = run->operation;
    const char *further = run->variant->options,
               *file = run->other_kernel ? run->other_kernel : run->variant->kernel;
    const bool differs = partials && (operation->value_bytes != operation->element_bytes ||
                                      operation->converts_elements);
    const bool native = strcmp(run->atomics, "native") == 0, ptx = strcmp(run->atomics, "ptx") == 0;
    const bool modern = (native && operation->floating) || needs(run, WORK_GROUP_REDUCE) ||
                        (needs(run, SUB_GROUPS) && run->back_end.modern);
    const unsigned version = run->device->c_version >= 200 && modern ? run->device->c_version : 120;
    char options[260];

    snprintf(
        options, sizeof options, "-cl-std=CL%u.%u -cl-kernel-arg-info %s -D WIDTH=%d%s%s%s%s %s",
        version / 100, version / 10 % 10, operation->options, run->width,
        differs ? " -D PARTIALS" : "", needs(run, SUB_GROUPS) ? run->back_end.options : "",
        native ? " -D NATIVE_ATOMICS" : "", ptx ? " -D PTX_ATOMICS" : "", further ? further : "");
    const struct kernel *kernel = kernel_get(run->device, file, "reduce", options);
    if (kernel)
        return kernel;
    run->broken = true;
    unsupported(run, "%s does not compile for %s of %s", file, operation->op, operation->type);
    return &none;
}

static size_t group_limit(const struct run *run, const struct kernel *kernel)
{
    const size_t limit = kernel->group_limit,
                 item_bytes = run->scratch * run->operation->value_bytes,
                 left = run->device->local_bytes - kernel->local_bytes;
    return kernel->arguments == 4 ? smaller(limit, left / item_bytes) : limit;
}

/* ---- geometry */
int load_width(struct run *run, int usual)
{
    run->asked |= ASKED_WIDTH;
    return run->width = run->given.width ? run->given.width : usual;
}

void scratch_values(struct run *run, size_t count) { run->scratch = count; }

uint64_t group_count(struct run *run, uint64_t usual)
{
    run->asked |= ASKED_GROUPS;
    return run->given.groups ? run->given.groups : usual;
}

uint64_t busy_groups(struct run *run, uint64_t elements_each, uint64_t per_unit)
{
    const uint64_t busy = ceil_div(run->elements.count, elements_each);
    return group_count(run, smaller(busy, per_unit * run->device->compute_units));
}

size_t group_size(struct run *run, size_t usual)
{
    const struct kernel *kernel = kernel_for(run, false);
    const size_t given = run->given.group, limit = group_limit(run, kernel),
                 group = given ? given : smaller(usual, limit); // stage() refuses too large a one

    run->asked |= ASKED_GROUP;
    if (needs(run, WORK_GROUP_REDUCE) && run->device->sub_groups == EMULATED && group < 3)
        unsupported(run, "groups of %zu: where sub-groups are emulated, work_group_reduce needs 3",
                    group);
    if (!needs(run, SUB_GROUPS) || run->back_end.stands_in) {
        while (group % run->lanes != 0) // a power of two: halved until they divide the group
            run->lanes /= 2;
        return group;
    }
    if (run->back_end.lanes == 0 && kernel->kernel) // the compiler's choice
        CL(clGetKernelSubGroupInfo(kernel->kernel, run->device->id,
                                   CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, &group,
                                   sizeof run->lanes, &run->lanes, NULL));
    if (run->lanes <= 1) {
        unsupported(run, "sub-groups of one lane exchange nothing: --subgroups local does as much");
        return group;
    }
    if (given % run->lanes != 0)
        unsupported(run, "groups of %zu: must be a multiple of the %zu lanes of a sub-group", group,
                    run->lanes);
    return group > run->lanes ? group - group % run->lanes : group; // in whole sub-groups
}

/* ---- arrays and stages */
struct array partials(struct run *run, uint64_t count)
{
    const size_t bytes = (count + CANARIES) * run->operation->value_bytes;
    if (run->owned_count == STAGES)
        fail("more than %d arrays of partial results: does a loop of the plan ever end?", STAGES);
    cl_mem buffer = buffer_create(run->device, bytes, "an array of partial results");
    return run->owned[run->owned_count++] = (struct array) { buffer, count, .partials = true };
}

struct stage *add_stage(struct run *run, struct stage stage)
{
    if (run->stage_count == STAGES)
        fail("more than %d stages: does each of them leave fewer values than it gets?", STAGES);
    run->stages[run->stage_count] = stage;
    return &run->stages[run->stage_count++];
}

const struct stage *first_launch(const struct run *run)
{
    const struct stage *stage = run->stages;
    for (int i = 1; i < run->stage_count && !stage->kernel; i++)
        stage++;
    return stage;
}

struct stage *stage(struct run *run, struct array in, struct array out, uint64_t groups,
                    size_t group)
{
    const struct kernel *kernel = kernel_for(run, in.partials);
    const size_t limit = group_limit(run, kernel);

    if (group > limit)
        unsupported(run, "groups of %zu: this kernel takes at most %zu work-items here", group,
                    limit);
    return add_stage(run,
                     (struct stage) { in, out, groups, group, .what = "kernel", .kernel = kernel });
}

/* ---- a plan as a whole */
static const char reorders[] = "reorders the elements, and %s is not commutative (other variants "
                               "and steps keep the order; --force shows what comes out)";

/* As far as that is known before anything is compiled. The first reason counts. */
static bool can_be_planned(struct run *run)
{
    const struct device *device = run->device;
    const struct operation *operation = run->operation;
    const char *missing = run->back_end.missing;
    const bool sums_meet = operation->adds && !operation->floating && device->atomics64,
               all_meet = operation->value_bytes == 4 && (sums_meet || operation->has_rank);

    if (needs(run, SUB_GROUPS | LANES_X_RUNS) && missing)
        unsupported(run, "this device has no %s: --subgroups local stands in", missing);
    if (needs(run, WORK_GROUP_REDUCE) && !device->work_group_collectives)
        unsupported(run, "this device has no work_group_reduce functions");
    if (needs(run, WORK_GROUP_REDUCE) && !operation->has_collective)
        unsupported(run, "OpenCL has no work_group_reduce for %s", operation->op);
    if (!run->atomics)
        unsupported(run, "no atomics of 64 bits on this device, which this operator and type need "
                         "here; 32-bit types, or a variant without atomics, do not");
    if (needs(run, ONE_WORD) && !all_meet)
        unsupported(run, "groups meet in a word: sums of int and uint (64-bit atomics), min and "
                         "max of 32 bits");
    if (operation->floating && operation->element_bytes == 8 && !device->doubles)
        unsupported(run, "no double on this device: float, int, uint, long and ulong are there");
    if (operation->has_index && run->elements.count > UINT64_C(1) << 32)
        unsupported(run, "an index of 32 bits is kept: at most 2^32 elements");
    if (!run->any_order && run->variant->keeps_order == NEVER)
        unsupported(run, reorders, operation->op);
    return !run->reason[0];
}

bool plan_make(struct run *run)
{
    const bool lanes = needs(run, SUB_GROUPS | LANES_X_RUNS);

    run->any_order = run->operation->commutative || run->given.force;
    run->asked = (lanes ? ASKED_LANES : 0) | (run->variant->kernel ? ASKED_KERNEL : 0);
    run->width = 1;
    run->scratch = 1;
    run->lanes = lanes && run->back_end.lanes ? run->back_end.lanes : 1;
    run->atomics = needs(run, ATOMICS) ? atomics_for(run->device, run->operation) : "none";
    run->result = partials(run, 1);
    const bool planned = can_be_planned(run) && run->variant->plan(run);
    if (!run->any_order && run->variant->keeps_order == IN_ONE_LANE && run->width * run->lanes > 1)
        unsupported(run, reorders, run->operation->op);
    return planned && !run->reason[0];
}

void plan_release(const struct run *run)
{
    for (int i = 0; i < run->owned_count; i++)
        CL(clReleaseMemObject(run->owned[i].buffer));
}
