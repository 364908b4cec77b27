/* Reduces an array of its own with the harness, but without step_main().
 *
 *   numbers --clEnqueueWriteBuffer()--> elements --run_once()--> result
 *   numbers --a loop--> sum                                      the same
 */
#include "step.h"

#include <stdio.h>

static void plan(struct reduction *reduction)
{
    size_t group_size = choose_group_size(reduction, 256);
    uint64_t groups = choose_busy_groups(reduction, group_size, 8);
    struct array partials = add_array(reduction, groups);

    add_stage(reduction, reduction->elements, partials, groups, group_size);
    add_stage(reduction, partials, reduction->result, 1, group_size);
}

int main(void)
{
    static uint32_t numbers[100003], sum;
    static struct reduction reduction;
    const struct variant variant = { "mine", "06_two_stage.cl", plan };
    const struct problem problem = { &variant, find_operation("sum", "uint"), .n = 100003 };
    struct device device = open_device(NULL);
    any_value result;

    for (uint32_t i = 0; i < problem.n; i++)
        sum += numbers[i] = i * i;
    if (!plan_reduction(&reduction, &device, &problem))
        fail("not supported here: %s", reduction.reason);
    CL(clEnqueueWriteBuffer(device.queue, reduction.elements.buffer, CL_TRUE, 0, sizeof numbers,
                            numbers, 0, NULL, NULL));
    run_once(&reduction, device.queue, &result);
    printf("%s on the device, %u by a loop\n", problem.operation->show(&result).text, sum);

    release_reduction(&reduction);
    close_device(&device);
}
