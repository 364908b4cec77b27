/* The plan of every exercise beyond the ladder, one launch and the host; and its operation. */
#define SUM
#define INT
#include "beyond.h"

#include "buffer.h"
#include <inttypes.h>
#include <stdio.h>

static const struct beyond *beyond;

static uint64_t each(void) { return beyond->partials ? beyond->partials : 1; }

static void finish(const struct run *run, const struct stage *stage, struct times *times,
                   any_value *result)
{
    const struct array *all = &stage->in;
    void *values = buffer_map(run->device, all->buffer, all->count * beyond->value_bytes);
    (void)times; // of all stages together
    beyond->finish(values, all->count / each(), result);
    buffer_unmap(run->device, all->buffer, values);
}

static bool plan(struct run *run)
{
    scratch_values(run, beyond->scratch ? beyond->scratch : 1);
    size_t group = beyond->group ? beyond->group : group_size(run, 256);
    uint64_t n = run->elements.count,
             groups = beyond->group     ? 1
                      : beyond->columns ? ceil_div(n, beyond->columns)
                                        : group_count(run, 8 * run->device->compute_units);
    struct array all = partials(run, groups * each());
    stage(run, run->elements, all, groups, group);
    add_stage(run, (struct stage) {
                       .in = all, .what = "host fold", .on_host = finish, .adds = all.count });
    return true;
}

static struct shown show(const void *value)
{
    uint64_t word = 0;
    memcpy(&word, value, beyond->value_bytes);
    struct shown shown = { .number = (double)word };
    snprintf(shown.text, sizeof shown.text, "%" PRIu64, word);
    return shown;
}

int beyond_main(int argc, char **argv, const struct beyond *of)
{
    static const any_value nothing, poison = { { 0x5e, 0xed, 0x5e, 0xed, 0x5e, 0xed, 0x5e, 0xed } };
    static struct operation operation = {
        .op = "own", .commutative = true, .identity = &nothing, .poison = &poison, .show = show
    };
    beyond = of;
    operation.type = of->type;
    operation.options = of->options;
    operation.element_bytes = strcmp(of->type, "long") == 0 ? 8 : 4;
    operation.value_bytes = of->value_bytes;
    operation.reference = of->reference;
    operation.slip = of->slip;
    operation.show = of->show ? of->show : show;
    const struct variant variants[] = { { "mine", of->solution, plan }, { NULL } };
    const struct step step = { of->number, of->name, 0, variants, &operation };
    return step_main(argc, argv, &step);
}
