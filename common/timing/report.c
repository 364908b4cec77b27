/* Text for people: a table, and under a row that stands alone what its plan has predicted. */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *time_text(double seconds, char text[16])
{
    const char *unit = seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
    double scaled = seconds < 1e-3 ? 1e6 * seconds : seconds < 1 ? 1e3 * seconds : seconds;
    if (isnan(seconds))
        return "-";
    snprintf(text, 16, "%.*f %s", scaled < 10 ? 2 : scaled < 100 ? 1 : 0, scaled, unit);
    return text;
}

/* "64.0 MiB": binary units, as sizes are. */
static const char *bytes_text(double bytes, char text[16])
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
    int unit = 0;
    for (; bytes >= 1024 && unit < 3; unit++)
        bytes /= 1024;
    snprintf(text, 16, "%.*f %s", unit == 0 || bytes == floor(bytes) ? 0 : 1, bytes, units[unit]);
    return text;
}

void report_head(const struct session *session, uint64_t evict_bytes)
{
    const struct options *options = session->options;
    const struct operation *operation = session->operations[0];
    char text[16];
    printf("%02d %s: %s of %s, seed %u, ", session->step->number, session->step->name,
           operation->op, operation->type, (unsigned)options->seed.value[0]);
    if (evict_bytes)
        printf("%s written in between\n", bytes_text(evict_bytes, text));
    else
        printf("warm cache\n");
    printf("on %d  %s\n\n", session->device.number, session->device.name);
    printf("%-13s %11s %9s %7s  ", "variant", "n", "groups", "x group");
    if (options->uniform)
        printf("%9s %11s %11s\n", "wall", "error/sum", "bound/sum");
    else
        printf("%9s %9s %6s %6s\n", "kernels", "wall", "GB/s", "%limit");
}

void report_row(const struct run *run, const struct row *row, const struct options *options)
{
    const struct stage *first = first_launch(run);
    char name[32], kernel[16], wall[16];
    snprintf(name, sizeof name, options->width.count ? "%s x%d" : "%s", run->variant->name,
             run->width);
    printf("%-13s %11" PRIu64 " %9" PRIu64 " %7zu  ", name, run->elements.count, first->groups,
           first->group);
    if (options->uniform) {
        printf("%9s %11.2g ", time_text(row->wall.median, wall), row->accuracy.error);
        printf(isnan(row->accuracy.bound) ? "   no-bound" : "%11.2g", row->accuracy.bound);
    } else
        printf("%9s %9s %6.*f %6.1f", time_text(row->kernel.median, kernel),
               time_text(row->wall.median, wall), row->gbps < 10 ? 2 : 1, row->gbps,
               row->percent_of_limit);
    puts(strcmp(row->verdict, "noisy") == 0     ? " ~"
         : strcmp(row->verdict, "doubted") == 0 ? " ?"
                                                : "");
    fflush(stdout);
}

static void print_predicted(const struct run *run)
{
    printf("\n%-9s %16s %9s %8s %9s %9s %8s %5s\n", "predicted", "groups x size", "reads",
           "barriers", "loc.atom.", "glob.atom", "adds", "depth");
    for (int i = 0; i < run->stage_count; i++) {
        const struct stage *stage = &run->stages[i];
        const struct operation *operation = run->operation;
        size_t bytes = stage->in.partials ? operation->value_bytes : operation->element_bytes;
        char size[32] = "", reads[16], barriers[16] = "-";
        if (stage->barriers != UNKNOWN)
            snprintf(barriers, sizeof barriers, "%u", stage->barriers);
        if (stage->kernel)
            snprintf(size, sizeof size, "%" PRIu64 " x %4zu", stage->groups, stage->group);
        printf("%-9s %16s %9s %8s %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %5u\n", stage->what, size,
               bytes_text(stage->in.count * bytes, reads), barriers, stage->local_atomics,
               stage->global_atomics, stage->adds, stage->depth);
    }
}

void report_stages(const struct run *run, const struct row *row, bool uniform)
{
    const struct shown result = run->operation->show(&row->result);
    char a[16], b[16], c[16], d[16];
    if (run->other_kernel)
        printf("\nfor the step's own kernel, %s, not for %s:", run->variant->kernel,
               run->other_kernel);
    print_predicted(run);
    printf("median of %zu: kernels %s, span %s, wall %s (min %s)\n", row->repetitions,
           time_text(row->kernel.median, a), time_text(row->span.median, b),
           time_text(row->wall.median, c), time_text(row->wall.min, d));
    if (!isnan(row->limit))
        printf("read limit %.1f GB/s (%s); floor, with an empty launch's %s: %s\n", row->limit_gbps,
               time_text(row->limit, a), time_text(row->empty, b), time_text(row->floor, c));
    else
        printf("read limit unknown: %s\n", row->misread
                                               ? "the kernels that measure it miss elements here"
                                               : "the clock of this GPU gives no times");
    if (run->variant->needs & ATOMICS)
        printf("atomics: %s\n", run->atomics);
    if (uniform) {
        printf("result %s: off by %.3g of the sum, ", result.text, row->accuracy.error);
        printf(isnan(row->accuracy.bound) ? "no bound" : "bound %.3g", row->accuracy.bound);
        printf("; exact data: right\n");
        return;
    }
    printf("result %s: right before, while and after timing; input untouched\n", result.text);
    if (strcmp(row->verdict, "noisy") == 0)
        printf("~: noisy, the 90 %% quantile is above twice the minimum\n");
    if (strcmp(row->verdict, "doubted") == 0)
        printf("?: doubted, so far above the limit: does each run read all its elements?\n");
}

void report_facts(const struct device *device, const struct back_end *back_end)
{
    static const char *const sub_groups[] = { "none", "emulated", "hardware" };
    printf("number=%d\nname=%s\nkind=%s\n", device->number, device->name, device->kind);
    printf("driver=%s\nopencl=%s\nc_version=%u\n", device->driver, device->version,
           device->c_version);
    printf("compute_units=%u\ngroup_limit=%zu\n", device->compute_units, device->group_limit);
    printf("memory_bytes=%" PRIu64 "\nbuffer_bytes=%" PRIu64 "\nlocal_bytes=%" PRIu64
           "\ncache_bytes=%" PRIu64 "\n",
           device->memory_bytes, device->buffer_bytes, device->local_bytes,
           last_level_cache(device));
    printf("doubles=%s\natomics64=%s\nwork_group_reduce=%s\n", device->doubles ? "yes" : "no",
           device->atomics64 ? "yes" : "no", device->work_group_collectives ? "yes" : "no");
    printf("sub_groups=%s\nsub_group_sizes=", sub_groups[device->sub_groups]);
    for (const size_t *size = device->sub_group_sizes; *size; size++)
        printf("%s%zu", size > device->sub_group_sizes ? "," : "", *size);
    printf("\nback_end=%s\nlanes=%u\n", back_end->name, back_end->lanes);
}
