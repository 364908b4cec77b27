/* Adds up floats that have to be rounded, by the ranks of step 13. The data of the harness is not
 * enough for this, because its sums are exact in any order. Each rank prints its result. */
#define main main_of_step_13
#include "../../steps/beyond/13_ranks.c"
#undef main

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static struct reduction reduction;
    const struct problem problem = { variants, find_operation("sum", "float"), .n = 1000003 };
    any_value result;

    enter_world(&argc, &argv);
    struct device device = open_own_device(NULL);
    if (!plan_share(&reduction, &device, &problem))
        fail("not supported here: %s", reduction.reason);
    const size_t count = reduction.elements.count;
    float *elements = allocate(count * sizeof *elements), sum;
    for (size_t i = 0; i < count; i++)
        elements[i] = 1 / (float)(i + 1 + (size_t)world.rank);
    CL(clEnqueueWriteBuffer(device.queue, reduction.elements.buffer, CL_TRUE, 0,
                            count * sizeof *elements, elements, 0, NULL, NULL));
    run_once(&reduction, device.queue, &result);
    memcpy(&sum, &result, sizeof sum);
    printf("%a\n", sum);

    free(elements);
    release_reduction(&reduction);
    close_device(&device);
    return leave_world(STATUS_RIGHT);
}
