/* A step's own plan, carried out once on a few numbers, with a kernel that prints its loads.
 *
 *   STEP's variants --plan_make()--> stages --reduce_once()--> record.clh's lines; then one line
 *
 *   plan <variant> <kernel> <groups> <group> right|wrong
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

enum { MOST = 4096, BEHIND = 4096 }; // elements; further ones, for a kernel that reads too many

int main(int argc, char **argv) // VARIANT ("": the main one) KERNEL n group groups width lanes
{
    static uint32_t numbers[MOST + BEHIND], sum, got;
    const struct variant *variant = variants;
    program_name = "picture";
    if (argc != 8)
        fail("record: picture.py calls this");
    while (argv[1][0] && variant->name && strcmp(variant->name, argv[1]) != 0)
        variant++;
    if (!variant->name || !variant->kernel)
        fail(argv[1][0] ? "VARIANT=%s: this step has no such kernel; its --variants lists them"
                        : "the step%s has no kernel: its loop is the host's",
             argv[1]);
    const char *kernel = argv[2][0] ? argv[2] : variant->kernel;
    const uint64_t n = strtoul(argv[3], NULL, 10);
    const struct geometry geometry = { strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10), true,
                                       atoi(argv[6]) };
    char lanes[32];
    snprintf(lanes, sizeof lanes, "local:%s", argv[7]);
    if (n < 1 || n > MOST)
        fail("N=%s: must be from 1 to %d", argv[3], MOST);
    for (uint64_t i = 0; i < n; i++)
        sum += numbers[i] = (uint32_t)i * 2654435761u;

    struct device device = device_open(NULL);
    struct run run = { .device = &device,
                       .operation = operation_find("sum", "uint"),
                       .variant = variant,
                       .elements = { buffer_create(&device, sizeof numbers, "numbers"), n },
                       .other_kernel = kernel,
                       .back_end = back_end_choose(&device, lanes),
                       .given = geometry };
    any_value result;
    buffer_write(&device, run.elements.buffer, 0, sizeof numbers, numbers);
    if (!plan_make(&run))
        fail("%s", run.reason);
    if (geometry.width && !(run.asked & ASKED_WIDTH))
        fail("WIDTH=%s: the plan of %s leaves no width open", argv[6], variant->name);
    reduce_once(&run, &result);
    fflush(stdout);
    memcpy(&got, &result, sizeof got);
    const struct stage *first = first_launch(&run);
    printf("\nplan %s %s %lu %zu %s\n", variant->name, kernel, (unsigned long)first->groups,
           first->group, got == sum ? "right" : "wrong");
    plan_release(&run);
    return 0;
}
