#include "table.h"

#include "report.h"
#include <stdlib.h>
#include <string.h>

const struct variant *choose_variant(const struct request *request,
                                     const struct operation *operation)
{
    const struct variant *variant = request->step->variants;
    if (request->options->variant)
        return request->variants[0];
    while (!operation->is_commutative && variant->order != ORDER_IS_KEPT)
        variant++;
    return variant;
}

static bool plan_n(struct ranks_table *table, uint64_t n)
{
    table->problem.n = n;
    const bool is_ready = plan_share(&table->reduction, table->request->device, &table->problem);
    begin_set_up();
    if (table->reduction.state == PLAN_IGNORES_OPTION)
        fail("%s", table->reduction.reason);
    meet();
    return is_ready;
}

/* Limits the time of each run. If a kernel never ends, a line names the judge that knows it: the
 * kernel's file begins with the number of a step that has a variant of the same name. */
static void limit_time(const struct ranks_table *table)
{
    const struct variant *variant = table->problem.variant;
    const char *slash = strrchr(variant->kernel, '/');
    struct request judged = *table->request;
    const struct step step = { .number = atoi(slash ? slash + 1 : variant->kernel) };
    judged.step = &step;
    set_time_limit(judged.options->timeout, compose_judge_command(&judged, &table->problem, 0));
}

/* The inputs for n: min and max have their extreme in turn at the ends of the ranks' shares, too.
 */
enum status verify_n(struct ranks_table *table, uint64_t n)
{
    struct data inputs[INPUTS_MAX];
    limit_time(table);
    if (!plan_n(table, n))
        return STATUS_UNSUPPORTED;
    struct problem whole = table->problem;
    whole.geometry.group_size = ceil_div(n, (uint64_t)world.ranks);
    const int count = list_inputs(&whole, table->seed, inputs);
    for (int i = 0; i < count; i++)
        if (!verify_on(&table->reduction, inputs[i], true))
            return STATUS_WRONG;
    return STATUS_RIGHT;
}
