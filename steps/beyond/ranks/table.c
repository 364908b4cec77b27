#include "table.h"

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

/* The first plan shows which options it uses. */
static bool plan_n(struct table *table, uint64_t n)
{
    const struct options *options = table->request->options;
    table->problem.n = n;
    const bool is_ready = plan_part(&table->reduction, table->request->device, &table->problem);
    begin_set_up();
    if (is_ready && !table->has_plan && options->check)
        refuse_unused_options(options, USES_ALL | USED_FOR_DATA, "--check");
    if (is_ready && !table->has_plan && !options->check)
        refuse_unused_options(options,
                              table->reduction.options_used | USED_IN_TIMING | USED_FOR_DATA,
                              table->problem.variant->name);
    meet();
    table->has_plan = true;
    return is_ready;
}

/* The inputs for n: min and max have their extreme in turn at the ends of the ranks' parts, too. */
enum status verify_n(struct table *table, uint64_t n)
{
    struct data inputs[INPUTS_MAX];
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
