/* Executes a step's own plan once, on a few elements, with a kernel that prints its loads.
 *
 *   step->variants --plan_reduction()--> stages --run_once()--> the lines of record.clh
 *
 * Then it prints a line about the first launch:
 *
 *   plan <variant> <kernel> <groups> <group size> right|wrong
 *
 * The Makefile links this file with the object of each step, as build/record06, in front of the
 * harness. Therefore main() of the step calls this step_main().
 */
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 4096 };

/* Arguments: variant ("": the main variant), kernel file ("": the variant's own), n, group size,
 * number of groups, width, lanes, rows of a batch (0: as on a CPU, a batch is a whole chunk). */
int step_main(int argc, char **argv, const struct step *step)
{
    static uint32_t elements[MAX_ELEMENTS + GUARD_ELEMENTS]; // 0 past n: a kernel may read there
    static struct reduction reduction;
    const struct variant *variant = step->variants;
    uint32_t sum = 0, kernel_sum;
    program_name = "picture";
    if (argc != 9)
        fail("this program needs 8 arguments; call make picture instead");
    while (argv[1][0] && variant->name && strcmp(variant->name, argv[1]) != 0)
        variant++;
    if (!variant->name)
        fail("VARIANT=%s: this step has no such variant; --variants lists them", argv[1]);
    if (!variant->kernel)
        fail("%s has no kernel: its loop runs on the host", variant->name);
    const uint64_t n = strtoul(argv[3], NULL, 10);
    if (n < 1 || n > MAX_ELEMENTS)
        fail("N=%s: must be from 1 to %d", argv[3], MAX_ELEMENTS);
    for (uint64_t i = 0; i < n; i++)
        sum += elements[i] = (uint32_t)i * 2654435761u;

    char lanes[32];
    snprintf(lanes, sizeof lanes, "local:%s", argv[7]);
    struct variant own = *variant;
    if (argv[2][0])
        own.kernel = argv[2];
    const int batch = atoi(argv[8]);
    if (batch && !variant->batch)
        fail("BATCH=%d: %s reads no batches", batch, variant->name);
    if (batch)
        own.batch = batch;
    struct problem problem = {
        .variant = &own,
        .operation = find_operation("sum", "uint"),
        .n = n,
        .geometry.width = atoi(argv[6]),
        .sub_groups = (variant->needs & (NEEDS_SUB_GROUPS | NEEDS_TWO_DIMENSIONS)) ? lanes : NULL,
    };
    struct device device = open_device(NULL);
    device.is_gpu = batch > 0; // the picture must not depend on the device
    device.is_cpu = !batch;
    any_value result;
    if (!plan_reduction(&reduction, &device, &problem) && reduction.state == PLAN_IGNORES_OPTION)
        fail("WIDTH=%s: the plan of %s does not use a width", argv[6], variant->name);
    if (reduction.kernel && !reduction.kernel->kernel) {
        print_build_log(reduction.kernel);
        fail("%s: %s", shown_name(reduction.kernel->file), reduction.kernel->why);
    }
    // picture.py has defaults of both numbers, but not every plan leaves them open.
    if (reduction.chosen_group_size)
        problem.geometry.group_size = strtoul(argv[4], NULL, 10);
    if (reduction.chose_groups)
        problem.geometry.groups = strtoul(argv[5], NULL, 10);
    if (!plan_reduction(&reduction, &device, &problem))
        fail("%s", reduction.reason);
    CL(clEnqueueWriteBuffer(device.queue, reduction.elements.buffer, CL_TRUE, 0,
                            (n + device.guard_elements) * sizeof *elements, elements, 0, NULL,
                            NULL));
    run_once(&reduction, device.queue, &result);
    fflush(stdout);
    memcpy(&kernel_sum, &result, sizeof kernel_sum);
    const struct stage *first = &reduction.stages[reduction.first_launch];
    printf("\nplan %s %s %lu %zu %s\n", variant->name, own.kernel, (unsigned long)first->groups,
           first->group_size, kernel_sum == sum ? "right" : "wrong");
    release_reduction(&reduction);
    close_device(&device);
    return 0;
}
