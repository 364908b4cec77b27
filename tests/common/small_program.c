/* A reduction without step_main: a device, an array of our own, a plan, its value.
 *
 *   numbers --buffer_write()--> elements --plan, reduce_once()--> value
 *   numbers --a loop--> sum                                            the same
 */
#include "step.h"

#include <stdio.h>

static bool plan(struct run *run)
{
    size_t group = group_size(run, 256);
    uint64_t groups = busy_groups(run, group, 8);
    struct array group_results = partials(run, groups);
    stage(run, run->elements, group_results, groups, group);
    stage(run, group_results, run->result, 1, group);
    return true;
}

int main(void)
{
    static uint32_t numbers[100003], sum;
    const struct variant variant = { "mine", "06_two_stage.cl", plan };
    struct device device = device_open(NULL);
    struct run run = { &device,
                       operation_find("sum", "uint"),
                       &variant,
                       { buffer_create(&device, sizeof numbers, "numbers"), 100003 },
                       .back_end = back_end_choose(&device, NULL) };
    any_value result;
    for (uint32_t i = 0; i < 100003; i++)
        sum += numbers[i] = i * i;
    buffer_write(&device, run.elements.buffer, 0, sizeof numbers, numbers);
    if (!plan_make(&run))
        fail("not supported here: %s", run.reason);
    reduce_once(&run, &result);
    printf("%.0f on the device, %u by a loop\n", run.operation->show(&result).number, sum);
}
