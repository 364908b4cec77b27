/* Carries out a step's own plan once, on a few numbers, with a kernel that prints its loads.
 *
 *   STEP's variants --plan_reduction()--> stages --run_once()--> the lines of record.clh; then
 *
 *   plan <variant> <kernel> <groups> <group size> right|wrong
 */
#if !defined STEP
#define STEP "../../steps/06_two_stage.c"
#endif
#define main main_of_step
#include STEP
#undef main
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 }; // elements

int main(int argc, char **argv) // VARIANT ("": the main one) KERNEL n group groups width lanes
{
    static uint32_t numbers[MOST + GUARD_ELEMENTS]; // zeros past n, for a kernel that reads there
    static struct reduction reduction;
    const struct variant *variant = variants;
    uint32_t sum = 0, got;
    program_name = "picture";
    if (argc != 8)
        fail("record: make picture calls this program, through picture.py");
    while (argv[1][0] && variant->name && strcmp(variant->name, argv[1]) != 0)
        variant++;
    if (!variant->name)
        fail("VARIANT=%s: this step has no such variant; --variants lists them", argv[1]);
    if (!variant->kernel)
        fail("%s has no kernel: its loop runs on the host", variant->name);
    const uint64_t n = strtoul(argv[3], NULL, 10);
    if (n < 1 || n > MOST)
        fail("N=%s: must be from 1 to %d", argv[3], MOST);
    for (uint64_t i = 0; i < n; i++)
        sum += numbers[i] = (uint32_t)i * 2654435761u;

    char lanes[32];
    snprintf(lanes, sizeof lanes, "local:%s", argv[7]);
    const struct problem problem = {
        .variant = variant,
        .operation = find_operation("sum", "uint"),
        .n = n,
        .geometry = { strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10), atoi(argv[6]) },
        .kernel_file = argv[2][0] ? argv[2] : NULL,
        .sub_groups = lanes,
    };
    struct device device = open_device(NULL);
    any_value result;
    if (!plan_reduction(&reduction, &device, &problem))
        fail("%s", reduction.reason);
    if (problem.geometry.width && !(reduction.options_used & USES_WIDTH))
        fail("WIDTH=%s: the plan of %s does not use a width", argv[6], variant->name);
    CL(clEnqueueWriteBuffer(device.queue, reduction.elements.buffer, CL_TRUE, 0,
                            (n + GUARD_ELEMENTS) * sizeof *numbers, numbers, 0, NULL, NULL));
    run_once(&reduction, device.queue, &result);
    fflush(stdout);
    memcpy(&got, &result, sizeof got);
    const struct stage *first = &reduction.stages[reduction.first_launch];
    printf("\nplan %s %s %lu %zu %s\n", variant->name,
           problem.kernel_file ? problem.kernel_file : variant->kernel,
           (unsigned long)first->groups, first->group_size, got == sum ? "right" : "wrong");
    release_reduction(&reduction);
    close_device(&device);
    return 0;
}
