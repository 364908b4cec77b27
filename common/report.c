#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION "1.1" // CHANGELOG.md says when it grows; CITATION.cff names it, too

const char *format_time(double seconds, char text[16])
{
    const char *unit = seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
    double scaled = seconds < 1e-3 ? 1e6 * seconds : seconds < 1 ? 1e3 * seconds : seconds;
    if (isnan(seconds))
        return "-";
    snprintf(text, 16, "%.*f %s", scaled < 10 ? 2 : scaled < 100 ? 1 : 0, scaled, unit);
    return text;
}

void flush_output(void)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("cannot write all of standard output: is the disk full?");
}

/* "64 MiB", "1.5 KiB": binary units, as sizes are. */
static const char *format_bytes(double bytes, char text[16])
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
    int unit = 0;
    for (; bytes >= 1024 && unit < 3; unit++)
        bytes /= 1024;
    snprintf(text, 16, "%.*f %s", unit == 0 || bytes == floor(bytes) ? 0 : 1, bytes, units[unit]);
    return text;
}

const char table_columns[] = "\nvariant                 n    groups  x size    kernels      wall   "
                             "GB/s %limit";

// enum rating
static const char *const rating_marks[] = { "", " ~", " ?" };
static const char *const rating_notes[] = {
    "", "~: noisy, the 90 % quantile is above twice the minimum\n",
    "?: doubtful, so far above the limit: does each run read all of its elements?\n"
};

void print_table_head(const struct step *step, const struct device *device,
                      const struct operation *operation, const struct options *options,
                      const char *columns)
{
    char text[16];
    printf("%02d %s: %s of %s, seed %u, ", step->number, step->name, operation->op, operation->type,
           (unsigned)options->seed);
    if (device->evict_bytes)
        printf("cache cleared by %s\n", format_bytes(device->evict_bytes, text));
    else
        printf("warm cache\n");
    printf("on %d  %s\n%s\n", device->number, device->name, columns);
}

void print_row(const struct reduction *reduction, const struct row *row,
               const struct options *options)
{
    // The row shows the geometry of the first launch; print_predictions() shows all launches.
    const struct stage *first = &reduction->stages[reduction->first_launch];
    char width[16] = "", name[40], a[16], b[16], c[16];
    const char *kernel = format_time(row->kernel.median, a),
               *wall = format_time(row->wall.median, b);
    if (options->width.count)
        snprintf(width, sizeof width, " x%d", reduction->width);
    snprintf(name, sizeof name, "%s%s", reduction->problem.variant->name, width);
    printf("%-13s %11" PRIu64, name, reduction->input.data.n);
    if (row->ranks)
        printf(" %5d  %9s %9s %10s", row->ranks, kernel, wall,
               format_time(row->collective.median, c));
    else
        printf(" %9" PRIu64 " %7zu  %9s %9s", first->groups, first->group_size, kernel, wall);
    printf(" %6.*f %6.1f%s\n", row->gbps < 10 ? 2 : 1, row->gbps, row->percent_of_limit,
           rating_marks[row->rating]);
    flush_output();
}

static void print_predictions(const struct reduction *reduction)
{
    const struct operation *operation = reduction->problem.operation;
    printf("\n%-9s %16s %9s %8s %9s %9s %8s %5s\n", "predicted", "groups x size", "reads",
           "barriers", "loc.atom.", "glob.atom", "chain", "depth");
    for (int i = 0; i < reduction->stage_count; i++) {
        const struct stage *stage = &reduction->stages[i];
        const size_t bytes =
            stage->in.has_values ? operation->value_bytes : operation->element_bytes;
        char size[32] = "", reads[16], barriers[16] = "-";
        if (stage->action == STAGE_LAUNCH)
            snprintf(size, sizeof size, "%" PRIu64 " x %4zu", stage->groups, stage->group_size);
        if (stage->action == STAGE_LAUNCH && !reduction->problem.variant->predict) {
            printf("%-9s %16s %9s %8s %9s %9s %8s %5s\n", stage->name, size,
                   format_bytes(stage->in.count * bytes, reads), "-", "-", "-", "-", "-");
            continue;
        }
        if (!stage->barriers_unknown)
            snprintf(barriers, sizeof barriers, "%u", stage->barriers);
        printf("%-9s %16s %9s %8s %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %5u\n", stage->name, size,
               format_bytes(stage->in.count * bytes, reads), barriers, stage->local_atomics,
               stage->global_atomics, stage->chain_length, stage->tree_depth);
    }
}

void print_details(const struct reduction *reduction, const struct row *row,
                   const struct options *options)
{
    const struct problem *problem = &reduction->problem;
    char a[16], b[16], c[16], d[16];
    if (options->kernel)
        printf("\nfor the step's own kernel, not for %s:", shown_name(options->kernel));
    if (row->ranks) // each rank has a plan of its own, for its share
        printf("\n");
    else
        print_predictions(reduction);
    if (reduction->kernel && reduction->kernel->required_group_size)
        printf("groups of %zu, because the kernel requires them (reqd_work_group_size)\n",
               reduction->kernel->required_group_size);
    printf("median of %zu: kernels %s, span %s, wall %s (min %s)\n", row->repetitions,
           format_time(row->kernel.median, a), format_time(row->span.median, b),
           format_time(row->wall.median, c), format_time(row->wall.min, d));
    if (row->ranks)
        printf("each is the time of the slowest rank; MPI alone, in the last rank: %s\n",
               format_time(row->collective.median, a));
    if (!isnan(row->read_wall))
        printf("read limit %.1f GB/s: a program that only reads takes %s (kernel %s)\n",
               row->limit_gbps, format_time(row->read_wall, a), format_time(row->read_kernel, b));
    else
        printf("read limit unknown: the kernel that measures it misses elements here\n");
    if (problem->variant->needs & NEEDS_ATOMICS)
        printf("atomics: %s\n", reduction->atomics.name);
    printf("result %s: right before and during timing; then right on other data, too\n",
           problem->operation->show(&row->result).text);
    printf("%s", rating_notes[row->rating]);
}

void print_wrong(const struct reduction *reduction, uint64_t n)
{
    printf("WRONG: %s at n = %" PRIu64 ": %s\n", reduction->problem.variant->name, n,
           reduction->verdict.reason);
}

enum status report_plan(const struct reduction *reduction)
{
    const struct kernel *kernel = reduction->kernel;
    if (kernel && !kernel->kernel) {
        print_build_log(kernel);
        fail("%s: %s", shown_name(kernel->file), kernel->why);
    }
    if (reduction->state == PLAN_IGNORES_OPTION) {
        fprintf(stderr, "%s: %s\n", program_name, reduction->reason);
        return STATUS_SETUP;
    }
    fprintf(stderr, "%s: %s is not supported here: %s\n", program_name,
            reduction->problem.variant->name, reduction->reason);
    return STATUS_UNSUPPORTED;
}

static void print_variants(const struct variant *variants)
{
    for (const struct variant *variant = variants; variant->name; variant++)
        printf("%-14s %-24s %s\n", variant->name, variant->kernel ? variant->kernel : "-",
               variant->article ? variant->article : "");
}

/* For scripts: what the device is and can do, one line key=value each. `sub_groups` is what
 * --subgroups says, or NULL. */
static void print_facts(const struct device *device, const char *sub_groups)
{
    static const char *const texts[] = { "none", "emulated", "hardware" }; // enum sub_groups
    const struct back_end back_end = choose_back_end(device, sub_groups);
    printf("number=%d\nname=%s\nkind=%s\n", device->number, device->name, device->type);
    printf("driver=%s\nopencl=%s\nc_version=%u\n", device->driver, device->version,
           device->c_version);
    printf("compute_units=%u\ngroup_limit=%zu\n", device->compute_units, device->largest_group);
    printf("memory_bytes=%" PRIu64 "\nbuffer_bytes=%" PRIu64 "\nlocal_bytes=%" PRIu64
           "\ncache_bytes=%" PRIu64 "\n",
           device->memory_bytes, device->buffer_bytes, device->local_bytes, device->cache_bytes);
    printf("doubles=%s\natomics64=%s\nwork_group_reduce=%s\n", device->has_doubles ? "yes" : "no",
           device->has_atomics64 ? "yes" : "no", device->has_work_group_reduce ? "yes" : "no");
    printf("sub_groups=%s\nsub_group_sizes=", texts[device->sub_groups]);
    for (const size_t *size = device->sub_group_sizes; *size; size++)
        printf("%s%zu", size > device->sub_group_sizes ? "," : "", *size);
    printf("\nback_end=%s\nlanes=%u\n", back_end.name, back_end.lanes);
}

void print_information(const struct options *options, const struct step *step, const char *usage,
                       const struct known_option *const *lists)
{
    if (options->help) {
        print_help(usage, lists);
    } else if (options->version) {
        printf("%s (%s) " VERSION "\n", program_name, step->name);
    } else if (options->list) {
        print_devices(options->device);
    } else if (options->variants) {
        print_variants(step->variants);
    } else {
        struct device device = open_device(options->device);
        print_facts(&device, options->sub_groups);
        close_device(&device);
    }
    flush_output();
}

const char *compose_judge_command(const struct request *request, const struct problem *problem,
                                  uint64_t n)
{
    static char command[1 << 16];
    const struct options *options = request->options;
    // The programs of exercises have judges of their own: see steps/exercises/exercises.mk.
    const bool is_mine = strncmp(program_name, "mine", 4) == 0,
               is_exercise = is_mine || strncmp(program_name, "exercise", 8) == 0;
    const char *folder = is_mine ? getenv("MINE") : NULL, *kernels = getenv("REDUCE_KERNELS");
    char judge[64];
    if (is_exercise)
        snprintf(judge, sizeof judge, "build/judge_%.40s", program_name);
    else
        snprintf(judge, sizeof judge, "judge%02d", request->step->number);
    const struct {
        const char *before, *word;
        uint64_t number;
    } given[] = {
        // NULL or 0: not given
        { " ", options->kernel ? shown_name(options->kernel) : NULL },
        { " --variant ", options->variant ? problem->variant->name : NULL }, // it may be all
        { " --op ", options->op },
        { " --type ", options->type },
        { " --device ", options->device },
        { " --subgroups ", options->sub_groups },
        { " --group ", NULL, problem->geometry.group_size },
        { " --groups ", NULL, problem->geometry.groups },
        { " --width ", NULL, (uint64_t)problem->geometry.width },
        { " --n ", NULL, n },
        { " --seed ", NULL, options->seed == 1 ? 0 : options->seed }, // the usual one is 1
    };
    FILE *to = fmemopen(command, sizeof command - 1, "w"); // the last byte stays 0
    if (!to)
        fail("the host has no memory left for the command of the judge");
    fprintf(to, "make %s", judge);
    if (folder && strcmp(folder, "mine") != 0)
        write_quoted(to, " MINE=", folder);
    if (kernels)
        write_quoted(to, " && REDUCE_KERNELS=", kernels);
    fprintf(to, "%s %s%s", kernels ? "" : " &&", is_exercise ? "" : "./", judge);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].word)
            write_quoted(to, given[i].before, given[i].word);
        else if (given[i].number)
            fprintf(to, "%s%" PRIu64, given[i].before, given[i].number);
    if (options->timeout > 0 && !options->has_usual_timeout)
        fprintf(to, " --timeout %g", options->timeout);
    fputs(options->force ? " --force" : "", to);
    fclose(to);
    return command;
}
