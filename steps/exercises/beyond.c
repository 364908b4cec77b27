/* The plan of every exercise beyond the ladder, one launch and the host; and its operation. */
#define SUM
#define INT
#include "beyond.h"

#include <inttypes.h>
#include <stdio.h>

static const struct beyond *beyond;

static bool plan(struct run *run)
{
    scratch_values(run, beyond->scratch ? beyond->scratch : 1);
    size_t group = beyond->group ? beyond->group : group_size(run, 256);
    uint64_t n = run->elements.count,
             groups = beyond->group     ? 1
                      : beyond->columns ? ceil_div(n, beyond->columns)
                                        : group_count(run, 8 * run->device->compute_units);
    struct array all = partials(run, groups * (beyond->partials ? beyond->partials : 1));
    stage(run, run->elements, all, groups, group);
    finish_on_host(run, all);
    return true;
}

static struct shown show(const void *value)
{
    uint64_t word = 0;
    memcpy(&word, value, beyond->operation.value_bytes);
    struct shown shown = { .number = (double)word };
    snprintf(shown.text, sizeof shown.text, "%" PRIu64, word);
    return shown;
}

int beyond_main(int argc, char **argv, const struct beyond *of)
{
    static const any_value nothing, poison = { { 0x5e, 0xed, 0x5e, 0xed, 0x5e, 0xed, 0x5e, 0xed } };
    struct operation operation = of->operation;
    beyond = of;
    operation.op = "own";
    operation.element_bytes = strcmp(operation.type, "long") == 0 ? 8 : 4;
    operation.commutative = true;
    operation.identity = &nothing;
    operation.poison = &poison;
    if (!operation.show)
        operation.show = show;
    const struct variant variants[] = { { "mine", of->solution, plan }, { NULL } };
    const struct step step = { of->number, of->name, 0, variants, &operation };
    return step_main(argc, argv, &step);
}
