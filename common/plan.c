#include "plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

unsigned ceil_log2(uint64_t n)
{
    unsigned rounds = 0;
    for (; n > 1; n = ceil_div(n, 2))
        rounds++;
    return rounds;
}

void unsupported(struct reduction *reduction, const char *reason, ...)
{
    if (reduction->state != PLAN_READY) // a later reason may only follow from the first
        return;
    reduction->state = PLAN_UNSUPPORTED;
    va_list arguments;
    va_start(arguments, reason);
    vsnprintf(reduction->reason, sizeof reduction->reason, reason, arguments);
    va_end(arguments);
}

bool note_mistake(struct reduction *reduction, enum mistake mistake, const char *what, ...)
{
    struct verdict *verdict = &reduction->verdict;
    const size_t length = strlen(verdict->reason);
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(verdict->reason + length, sizeof verdict->reason - length, what, arguments);
    va_end(arguments);
    verdict->mistake = mistake;
    return false;
}

/* ---- the kernel */

/* The kernel for elements, or for values. One build serves both if a value has the bytes of an
 * element, and load() does not convert it. (A sum of int is kept in uint, which has the same
 * bytes.) */
static const struct kernel *build_kernel(struct reduction *reduction, bool for_values)
{
    const struct operation *operation = reduction->problem.operation;
    const struct variant *variant = reduction->problem.variant;
    struct device *device = reduction->device;
    const char *file = variant->kernel;
    const bool differs = for_values && (operation->value_bytes != operation->element_bytes ||
                                        operation->converts_elements);
    const bool needs_version_2 =
        reduction->atomics.needs_version_2 || (variant->needs & NEEDS_WORK_GROUP_REDUCE) ||
        ((variant->needs & NEEDS_SUB_GROUPS) && reduction->back_end.needs_version_2);
    const bool has_version_2 = device->c_version >= 200;
    const unsigned version =
        has_version_2 && (needs_version_2 || reduction->uses_work_group_functions)
            ? device->c_version
            : 120;
    char *const options = reduction->build_options, constant[40] = "";

    if (variant->constant.name)
        snprintf(constant, sizeof constant, " -D %s=%d", variant->constant.name,
                 variant->constant.value);
    if (variant->batch)
        snprintf(constant, sizeof constant, " -D BATCH=%d", reduction->batch);
    // Only without optimisation does Oclgrind know the line of each instruction, and does a load of
    // a vector stay one load.
    const bool keeps_lines = getenv("REDUCE_NO_OPTIMISATION");
    const int length =
        snprintf(options, sizeof reduction->build_options,
                 "-cl-std=CL%u.%u -cl-kernel-arg-info %s -D WIDTH=%d%s%s%s%s%s %s", version / 100,
                 version / 10 % 10, operation->options, reduction->width,
                 differs ? " -D READS_PARTIALS" : "",
                 (variant->needs & NEEDS_SUB_GROUPS) ? reduction->back_end.options : "",
                 reduction->atomics.options, constant, keeps_lines ? " -cl-opt-disable" : "",
                 variant->options ? variant->options : "");
    if (length >= (int)sizeof reduction->build_options)
        fail("%s needs build options of %d bytes; there is room for %zu", file, length,
             sizeof reduction->build_options);
    if (!device->context) // the caller wants only the build options: see plots/compile.c
        return NULL;
    const struct kernel *kernel = get_kernel(device, file, "reduce", options);
    // Only OpenCL C 2.0 and later has work_group_reduce_add(). The log quotes an unknown name.
    if (version == 120 && has_version_2 && kernel->log && strstr(kernel->log, "'work_group_")) {
        reduction->uses_work_group_functions = true;
        return build_kernel(reduction, for_values);
    }
    if (!kernel->kernel) {
        unsupported(reduction, "%s cannot be used for %s of %s", shown_name(file), operation->op,
                    operation->type);
        return kernel;
    }
    // A group is limited by the runtime, and by the local memory that it uses.
    const size_t by_memory =
        kernel->argument_count < 4
            ? SIZE_MAX
            : (device->local_bytes - kernel->local_bytes) / reduction->item_scratch_bytes;
    if (by_memory == 0)
        unsupported(reduction,
                    "%s declares %" PRIu64 " of the %" PRIu64 " bytes of local memory that a group "
                    "has, and leaves no room for scratch",
                    file, (uint64_t)kernel->local_bytes, (uint64_t)device->local_bytes);
    if (reduction->largest_group > by_memory)
        reduction->largest_group = by_memory;
    if (reduction->largest_group > kernel->largest_group)
        reduction->largest_group = kernel->largest_group;
    return kernel;
}

/* ---- geometry */

/* Adapts the lanes of a sub-group to the group, or the group to the lanes. */
static size_t fit_sub_groups(struct reduction *reduction, size_t group_size)
{
    const struct variant *variant = reduction->problem.variant;
    const size_t given = reduction->problem.geometry.group_size;
    if (!(variant->needs & NEEDS_SUB_GROUPS) || reduction->back_end.is_emulated) {
        while (group_size % reduction->lanes != 0) // lanes is a power of two
            reduction->lanes /= 2;
        return group_size;
    }
    if (reduction->back_end.lanes == 0) // the compiler chooses the lanes
        CL(clGetKernelSubGroupInfo(reduction->kernel->kernel, reduction->device->id,
                                   CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group_size,
                                   &group_size, sizeof reduction->lanes, &reduction->lanes, NULL));
    const size_t lanes = reduction->lanes;
    if (lanes <= 1) {
        unsupported(reduction, "sub-groups of one lane have nothing to exchange: --subgroups "
                               "local does as much");
        return group_size;
    }
    if (given % lanes != 0)
        unsupported(reduction, "groups of %zu: must be a multiple of the %zu lanes of a sub-group",
                    group_size, lanes);
    return group_size > lanes ? group_size - group_size % lanes : lanes;
}

size_t choose_group_size(struct reduction *reduction, size_t usual)
{
    const struct variant *variant = reduction->problem.variant;
    const size_t given = reduction->problem.geometry.group_size, largest = reduction->largest_group,
                 required = reduction->kernel->required_group_size,
                 group_size = given             ? given
                              : required        ? required
                              : usual < largest ? usual
                                                : largest; // add_stage() checks it
    reduction->chosen_group_size = group_size;
    if (((variant->needs & NEEDS_WORK_GROUP_REDUCE) || reduction->uses_work_group_functions) &&
        reduction->device->sub_groups == SUB_GROUPS_EMULATED && group_size < 3)
        unsupported(reduction,
                    "groups of %zu: where sub-groups are emulated, work_group_reduce needs 3",
                    group_size);
    if (variant->needs & (NEEDS_SUB_GROUPS | NEEDS_TWO_DIMENSIONS))
        return fit_sub_groups(reduction, group_size);
    return group_size;
}

uint64_t choose_groups(struct reduction *reduction, uint64_t usual)
{
    reduction->chose_groups = true;
    return reduction->problem.geometry.groups ? reduction->problem.geometry.groups : usual;
}

uint64_t choose_busy_groups(struct reduction *reduction, uint64_t elements_each, uint64_t per_unit)
{
    const uint64_t busy = ceil_div(reduction->elements.count, elements_each),
                   most = per_unit * reduction->device->compute_units,
                   usual = busy < most ? busy : most;
    return choose_groups(reduction, usual ? usual : 1); // a rank may have no elements
}

/* ---- arrays and stages */
struct array add_array(struct reduction *reduction, uint64_t count)
{
    const uint64_t bytes =
        (count + reduction->device->guard_values) * reduction->problem.operation->value_bytes;
    if (reduction->array_count == STAGES_MAX)
        fail("more than %d arrays of partial results: does a loop of the plan never end?",
             STAGES_MAX);
    cl_mem buffer = create_buffer(reduction->device, bytes, "an array of partial results");
    return reduction->arrays[reduction->array_count++] =
               (struct array) { buffer, count, .has_values = true };
}

void add_counter(struct reduction *reduction, uint64_t group_values)
{
    reduction->result = add_array(reduction, 1 + group_values + COUNTER_VALUES);
    reduction->has_counter = true;
    // All values are written, not only the counter, and not by a fill: Oclgrind takes an atomic
    // exchange with a value that was never written for a mistake, and a fill for no write.
    const size_t bytes = reduction->result.count * reduction->problem.operation->value_bytes;
    void *zeros = allocate(bytes);
    CL(clEnqueueWriteBuffer(reduction->device->queue, reduction->result.buffer, CL_TRUE, 0, bytes,
                            zeros, 0, NULL, NULL));
    free(zeros);
}

struct stage *append_stage(struct reduction *reduction, struct stage stage)
{
    if (reduction->stage_count == STAGES_MAX)
        fail("more than %d stages: does each of them produce fewer values than it reads?",
             STAGES_MAX);
    reduction->stages[reduction->stage_count] = stage;
    return &reduction->stages[reduction->stage_count++];
}

struct stage *add_stage(struct reduction *reduction, struct array in, struct array out,
                        uint64_t groups, size_t group_size)
{
    const struct kernel *kernel = in.has_values ? build_kernel(reduction, true) : reduction->kernel;
    if (kernel && !kernel->kernel) // built for elements, but not for values: report_plan() shows it
        reduction->kernel = kernel;
    if (group_size > reduction->largest_group)
        unsupported(reduction, "groups of %zu: this kernel takes at most %zu work-items here",
                    group_size, reduction->largest_group);
    if (kernel && kernel->required_group_size &&
        reduction->problem.variant->needs & NEEDS_TWO_DIMENSIONS)
        unsupported(reduction,
                    "this variant launches groups of two dimensions, but the kernel requires "
                    "groups of %zu (reqd_work_group_size)",
                    kernel->required_group_size);
    if (kernel && kernel->required_group_size && kernel->required_group_size != group_size)
        unsupported(reduction,
                    "groups of %zu: this kernel requires groups of %zu "
                    "(reqd_work_group_size)",
                    group_size, kernel->required_group_size);
    return append_stage(
        reduction,
        (struct stage) { STAGE_LAUNCH, "kernel", in, out, groups, group_size, .kernel = kernel,
                         .scratch_bytes = group_size * reduction->item_scratch_bytes });
}

void add_fill(struct reduction *reduction, struct array array)
{
    append_stage(reduction, (struct stage) { STAGE_FILL, "fill", .out = array });
}

/* ---- predictions */
void predict_tree(struct stage *stage, unsigned accumulators)
{
    const uint64_t all = accumulators * stage->groups * stage->group_size;
    stage->chain_length = ceil_div(stage->in.count, all);
    stage->tree_depth = ceil_log2(accumulators) + ceil_log2(stage->group_size);
}

unsigned sub_group_barriers(const struct reduction *reduction)
{
    const unsigned lanes = reduction->back_end.lanes;
    if (reduction->back_end.is_emulated) // it does the rounds for all LANES in smaller groups, too
        return lanes > 1 ? 1 + ceil_log2(lanes) : 0;
    // Lanes of hardware wait only where OpenCL has no collective function for the operator.
    return reduction->back_end.needs_version_2 && !reduction->problem.operation->has_collective;
}

unsigned work_group_barriers(const struct reduction *reduction, size_t group_size)
{
    const size_t lanes = reduction->lanes;
    unsigned rounds = 0;
    if (!(reduction->problem.variant->needs & NEEDS_SUB_GROUPS)) // a tree in local memory
        return ceil_log2(group_size);
    if (reduction->back_end.is_emulated) // by pairs
        return sub_group_barriers(reduction) + 1 + ceil_log2(group_size / lanes);
    for (size_t left = group_size / lanes; left > 1 && lanes > 1; left = ceil_div(left, lanes))
        rounds++;
    return 2 * rounds + (rounds + 1) * sub_group_barriers(reduction);
}

/* ---- the plan as a whole */
static void refuse_to_reorder(struct reduction *reduction)
{
    unsupported(reduction,
                "reorders the elements, and %s is not commutative (other variants and steps keep "
                "the order; --force shows the wrong result)",
                reduction->problem.operation->op);
}

/* An option that was given, but has no effect, is a mistake of the user. */
static void refuse_without_effect(struct reduction *reduction, const char *option)
{
    if (reduction->state != PLAN_READY)
        return;
    unsupported(reduction, "%s has no effect on %s: leave it out", option,
                reduction->problem.variant->name);
    reduction->state = PLAN_IGNORES_OPTION;
}

/* Refuses what is known to be impossible before anything is compiled. */
static void check_support(struct reduction *reduction)
{
    const struct device *device = reduction->device;
    const struct variant *variant = reduction->problem.variant;
    const struct operation *operation = reduction->problem.operation;
    const char *missing = reduction->back_end.missing;
    const bool fits_one_word =
        operation->value_bytes == 4 &&
        ((operation->adds && !operation->is_floating && device->has_atomics64) ||
         operation->has_order_word);

    if (missing)
        unsupported(reduction, "this device has no %s: use --subgroups local instead", missing);
    if ((variant->needs & NEEDS_WORK_GROUP_REDUCE) && !device->has_work_group_reduce)
        unsupported(reduction, "this device has no work_group_reduce functions");
    if ((variant->needs & NEEDS_WORK_GROUP_REDUCE) && !operation->has_collective)
        unsupported(reduction, "OpenCL has no work_group_reduce for %s", operation->op);
    if (reduction->atomics.is_missing)
        unsupported(reduction,
                    "no atomics of 64 bits on this device, which this operator and type need "
                    "here; 32-bit types, or a variant without atomics, do not");
    if ((variant->needs & NEEDS_ONE_WORD) && !fits_one_word)
        unsupported(reduction, "the groups meet in one word, which serves sums of int and uint "
                               "(with 64-bit atomics), and min and max of 32 bits");
    if (operation->is_floating && operation->element_bytes == 8 && !device->has_doubles)
        unsupported(reduction,
                    "this device has no double; it has float, int, uint, long and ulong");
    if (operation->has_index && reduction->problem.n > UINT64_C(1) << 32)
        unsupported(reduction, "an index of 32 bits: at most 2^32 elements");
    if (variant->order == ORDER_CHANGES && !operation->is_commutative && !reduction->problem.force)
        refuse_to_reorder(reduction);
    if (reduction->problem.geometry.width && !variant->width)
        refuse_without_effect(reduction, "--width");
    if (reduction->problem.sub_groups &&
        !(variant->needs & (NEEDS_SUB_GROUPS | NEEDS_TWO_DIMENSIONS)))
        refuse_without_effect(reduction, "--subgroups");
}

/* Chooses what the kernel is built for: elements per load, rows of a batch, scratch, lanes and
 * atomics. */
static void choose_build(struct reduction *reduction)
{
    const struct device *device = reduction->device;
    const struct problem *problem = &reduction->problem;
    const struct variant *variant = problem->variant;
    const struct operation *operation = problem->operation;
    reduction->lanes = 1;
    if (variant->needs & (NEEDS_SUB_GROUPS | NEEDS_TWO_DIMENSIONS)) {
        reduction->back_end = choose_back_end(device, problem->sub_groups);
        if (reduction->back_end.lanes)
            reduction->lanes = reduction->back_end.lanes;
    }
    // On a CPU a row has 64 bytes, whatever its lanes are. It has one element per lane if a value
    // is a struct, or if the kernel has to keep the order. Oclgrind says that it is a GPU, so the
    // judge examines batches there.
    const bool has_batches = variant->batch && device->is_gpu && operation->is_commutative,
               has_wide_rows = variant->batch && !has_batches && operation->is_commutative &&
                               operation->value_bytes == operation->element_bytes;
    const size_t row_bytes = operation->element_bytes * reduction->lanes;
    reduction->batch = has_batches ? variant->batch : 0;
    reduction->width = 1;
    if (problem->geometry.width && variant->width)
        reduction->width = problem->geometry.width;
    else if (has_wide_rows && row_bytes < 64)
        reduction->width = (int)(64 / row_bytes);
    else if (has_batches || !variant->batch)
        reduction->width = variant->width ? variant->width : 1;
    reduction->item_scratch_bytes =
        operation->value_bytes * (variant->scratch_is_vectors ? (size_t)reduction->width
                                  : variant->scratch_values   ? variant->scratch_values
                                                              : 1);
    reduction->largest_group = SIZE_MAX;
    reduction->atomics = (struct atomics) { "none", "" };
    if (variant->needs & NEEDS_ATOMICS)
        reduction->atomics = choose_atomics(device, operation);
}

bool plan_reduction(struct reduction *reduction, struct device *device,
                    const struct problem *problem)
{
    const struct variant *variant = problem->variant;
    const struct operation *operation = problem->operation;
    release_reduction(reduction);
    reduction->device = device;
    reduction->problem = *problem;
    reduction->verdict.poison = *operation->poison;

    choose_build(reduction);
    check_support(reduction);
    if (reduction->state == PLAN_READY && variant->kernel)
        reduction->kernel = build_kernel(reduction, false);
    if (reduction->state != PLAN_READY || !device->context)
        return reduction->state == PLAN_READY;

    const uint64_t bytes = (problem->n + device->guard_elements) * operation->element_bytes;
    reduction->elements = (struct array) { create_buffer(device, bytes, "the input"), problem->n };
    reduction->result = add_array(reduction, 1);
    variant->plan(reduction);
    bool has_result = false;
    if (problem->geometry.group_size && !reduction->chosen_group_size)
        refuse_without_effect(reduction, "--group");
    if (problem->geometry.groups && !reduction->chose_groups)
        refuse_without_effect(reduction, "--groups");
    for (int i = 0; i < reduction->stage_count; i++) {
        struct stage *stage = &reduction->stages[i];
        has_result |=
            stage->action == STAGE_ON_HOST || stage->out.buffer == reduction->result.buffer;
        if (stage->action == STAGE_LAUNCH && variant->predict)
            variant->predict(reduction, stage);
    }
    if (!has_result && reduction->state == PLAN_READY)
        fail("the plan of %s never writes the result at n = %" PRIu64 ": is reduction->result the "
             "`out` of the last launch, and is there a launch for each n?",
             variant->name, problem->n);
    while (reduction->first_launch < reduction->stage_count - 1 &&
           reduction->stages[reduction->first_launch].action != STAGE_LAUNCH)
        reduction->first_launch++;
    if (variant->order == ORDER_IS_KEPT_BY_ONE_LANE && !operation->is_commutative &&
        !problem->force && (size_t)reduction->width * reduction->lanes > 1)
        refuse_to_reorder(reduction);
    return reduction->state == PLAN_READY;
}

void release_reduction(struct reduction *reduction)
{
    for (int i = 0; i < reduction->array_count; i++)
        CL(clReleaseMemObject(reduction->arrays[i].buffer));
    if (reduction->elements.buffer)
        CL(clReleaseMemObject(reduction->elements.buffer));
    memset(reduction, 0, sizeof *reduction);
}
