/* Stages that many plans have in common, and what is predicted of them: from the geometry and the
 * texts of kernels/subgroup.clh and last_group.clh. */
#include "stages.h"

#include "operations.h"
#include "run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is predicted */
unsigned sub_group_barriers(const struct run *run)
{
    const unsigned lanes = run->back_end.lanes;
    if (run->back_end.stands_in) // it does LANES' rounds in smaller groups, too
        return lanes > 1 ? 1 + ceil_log2(lanes) : 0;
    // Lanes of hardware wait for nothing, but where OpenCL has no collective for the operator.
    return run->back_end.modern && !run->operation->has_collective ? 1 : 0;
}

unsigned tree_barriers(const struct run *run, size_t group)
{
    const size_t lanes = run->lanes;
    unsigned rounds = 0;
    if (run->variant->needs & WORK_GROUP_REDUCE)
        return UNKNOWN; // the built-in keeps its barriers to itself
    if (!(run->variant->needs & SUB_GROUPS))
        return ceil_log2(group);
    if (run->back_end.stands_in) // by pairs
        return sub_group_barriers(run) + 1 + ceil_log2(group / lanes);
    for (size_t left = group / lanes; left > 1 && lanes > 1; left = ceil_div(left, lanes))
        rounds++;
    return 2 * rounds + (rounds + 1) * sub_group_barriers(run);
}

void predict_tree(struct stage *stage, unsigned accumulators, unsigned barriers)
{
    stage->adds = ceil_div(stage->in.count, accumulators * stage->groups * stage->group);
    stage->depth = ceil_log2(accumulators) + ceil_log2(stage->group);
    stage->barriers = barriers;
}

bool two_launches(struct run *run, uint64_t groups, size_t group, unsigned accumulators)
{
    const unsigned barriers = tree_barriers(run, group);
    struct array group_results = partials(run, groups);

    predict_tree(stage(run, run->elements, group_results, groups, group), accumulators, barriers);
    predict_tree(stage(run, group_results, run->result, 1, group), accumulators, barriers);
    return true;
}

bool one_launch(struct run *run, uint64_t groups, size_t group, unsigned accumulators)
{
    const bool word = run->variant->needs & ONE_WORD, adds = run->operation->adds;

    // out[0], a value of each group (or one that nobody uses: a word is aligned), the counter
    run->result = partials(run, 1 + (word ? 1 : groups) + COUNTER);
    // The counter begins at 0. Oclgrind takes an atomic exchange with what nobody has written for a
    // mistake, and a fill for no write: so all values are written.
    const size_t bytes = run->result.count * run->operation->value_bytes;
    void *zeros = allocate(bytes);
    buffer_write(run->device, run->result.buffer, 0, bytes, zeros);
    free(zeros);
    struct stage *only = stage(run, run->elements, run->result, groups, group);
    // Without a word the last group builds a second tree: it waits more often than the others.
    predict_tree(only, accumulators, word ? tree_barriers(run, group) : UNKNOWN);
    if (groups > 1)
        only->global_atomics = !word ? 3 * groups + 1 : adds ? groups + 1 : 2 * groups + 2;
    return true;
}

/* ---- no launch of a kernel */
void fill(struct run *run, struct array accumulators)
{
    add_stage(run, (struct stage) { .out = accumulators, .what = "fill" });
}

/* Of elements the wall time is the loop's alone: to map them is not what is measured, they are the
 * host's own here. */
static void combine_on_host(const struct run *run, const struct stage *stage, double start,
                            struct times *times, any_value *result)
{
    const struct operation *operation = run->operation;
    const bool elements = !stage->in.partials;
    const size_t bytes = elements ? operation->element_bytes : operation->value_bytes;
    void *values = buffer_map(run->device, stage->in.buffer, stage->in.count * bytes);
    if (elements)
        start = now();
    *result = elements ? *operation->poison : *operation->identity; // a loop must set it itself
    stage->combine(values, stage->in.count, result);
    times->wall = now() - start; // before what is mapped is given back
    buffer_unmap(run->device, stage->in.buffer, values);
}

static bool add_host_stage(struct run *run, const char *what, struct array in,
                           void (*combine)(const void *values, uint64_t count, void *result))
{
    add_stage(run, (struct stage) { in, .what = what, .on_host = combine_on_host,
                                    .combine = combine, .adds = in.count });
    return true;
}

void finish_on_host(struct run *run, struct array values)
{
    if (!values.partials)
        fail("finish_on_host() is for partials, not for elements, as at n = %zu", values.count);
    add_host_stage(run, "host fold", values, run->operation->fold);
}

bool on_host(struct run *run, const struct host_loop *loops)
{
    char has[300] = "";
    for (const struct host_loop *loop = loops; loop->op; loop++) {
        if (operation_find(loop->op, loop->type) == run->operation)
            return add_host_stage(run, "host loop", run->elements, loop->reduce);
        snprintf(has + strlen(has), sizeof has - strlen(has), "%s%s of %s", *has ? ", " : "",
                 loop->op, loop->type);
    }
    return unsupported(run, "no %s of %s; it has %s", run->operation->op, run->operation->type,
                       has);
}
