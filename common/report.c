/* What people read, and what gnuplot reads. The data file is kept in memory and written whole after
 * each row, so that an interrupt leaves every row that was measured and no half of one.
 */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* "1.23 ms": three digits and the unit that fits. */
static const char *time_text(double seconds, char text[16])
{
    if (isnan(seconds))
        return "-";
    double scaled = seconds < 1e-3 ? 1e6 * seconds : seconds < 1 ? 1e3 * seconds : seconds;
    snprintf(text, 16, "%.*f %s",
             scaled < 10    ? 2
             : scaled < 100 ? 1
                            : 0,
             scaled,
             seconds < 1e-3 ? "us"
             : seconds < 1  ? "ms"
                            : "s");
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

void report_head(const struct step *step, const struct device *device,
                 const struct operation *operation, const struct options *options,
                 uint64_t evict_bytes)
{
    char text[16];
    printf("%02d %s: %s of %s, seed %u, ", step->number, step->name, operation->op, operation->type,
           (unsigned)options->seed.value[0]);
    if (evict_bytes)
        printf("%s written in between\n", bytes_text(evict_bytes, text));
    else
        printf("warm cache\n");
    printf("on %d  %s\n\n", device->number, device->name);
    printf("%-13s %11s %9s %7s  ", "variant", "n", "groups", "x group");
    if (options->uniform)
        printf("%9s %11s %11s\n", "wall", "error/sum", "bound/sum");
    else
        printf("%9s %9s %6s %6s\n", "kernels", "wall", "GB/s", "%limit");
}

void report_row(const struct variant *variant, const struct row *row)
{
    char kernel[16], wall[16], bound[16];
    printf("%-13s %11" PRIu64 " %9" PRIu64 " %7zu  ", variant->name, row->n, row->groups,
           row->group);
    time_text(row->wall.median, wall);
    snprintf(bound, sizeof bound, isnan(row->accuracy.bound) ? "no-bound" : "%.2g",
             row->accuracy.bound);
    if (row->uniform)
        printf("%9s %11.2g %11s", wall, row->accuracy.error, bound);
    else
        printf("%9s %9s %6.*f %6.1f", time_text(row->kernel.median, kernel), wall,
               row->gbps < 10 ? 2 : 1, row->gbps, row->percent_of_limit);
    puts(strcmp(row->verdict, "noisy") == 0 ? " ~" : "");
    fflush(stdout);
}

void report_stages(const struct run *run, const struct row *row)
{
    static const char *const kinds[] = { "kernel", "fill", "host fold", "host loop", "library" };
    char a[16], b[16], c[16], d[16], result[32];

    if (strcmp(run->plan->kernel_file, run->variant->kernel) != 0)
        printf("\nfor the step's own kernel, %s, not for %s:", run->variant->kernel,
               run->plan->kernel_file);
    printf("\n%-9s %16s %9s %8s %9s %9s %8s %5s\n", "predicted", "groups x size", "reads",
           "barriers", "loc.atom.", "glob.atom", "adds", "depth");
    for (int i = 0; i < run->plan->stage_count; i++) {
        const struct stage *stage = &run->plan->stages[i];
        size_t bytes =
            stage->in.partials ? run->operation->value_bytes : run->operation->element_bytes;
        char size[32] = "", barriers[16] = "-";
        if (stage->barriers != UNKNOWN)
            snprintf(barriers, sizeof barriers, "%u", stage->barriers);
        if (stage->kind == LAUNCH)
            snprintf(size, sizeof size, "%" PRIu64 " x %4zu", stage->groups, stage->group);
        printf("%-9s %16s %9s %8s %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %5u\n", kinds[stage->kind],
               size, bytes_text(stage->in.count * bytes, a), barriers, stage->local_atomics,
               stage->global_atomics, stage->adds, stage->depth);
    }
    printf("median of %zu: kernels %s, span %s, wall %s (min %s)\n", row->repetitions,
           time_text(row->kernel.median, a), time_text(row->span.median, b),
           time_text(row->wall.median, c), time_text(row->wall.min, d));
    if (isnan(row->limit))
        printf("read limit unknown: %s\n", row->misread
                                               ? "the kernels that measure it miss elements here"
                                               : "the clock of this GPU gives no times");
    else
        printf("read limit %.1f GB/s (%s); floor, with an empty launch's %s: %s\n", row->limit_gbps,
               time_text(row->limit, a), time_text(row->empty, b), time_text(row->floor, c));
    if (strcmp(run->plan->atomics ? run->plan->atomics : "none", "none") != 0)
        printf("atomics: %s\n",
               strcmp(run->plan->atomics, "native") == 0 ? "native, the device's own"
               : strcmp(run->plan->atomics, "ptx") == 0  ? "ptx, an instruction of NVIDIA's"
                                                        : "exchange, a loop over compare-exchange");
    run->operation->print(&row->result, result, sizeof result);
    snprintf(a, sizeof a, isnan(row->accuracy.bound) ? "no bound" : "bound %.3g",
             row->accuracy.bound);
    if (row->uniform)
        printf("result %s: off by %.3g of the sum, %s; exact data came out right\n", result,
               row->accuracy.error, a);
    else
        printf("result %s: right before, while and after timing; input untouched%s\n", result,
               strcmp(row->verdict, "noisy") == 0
                   ? "\n~: noisy, the 90 % quantile is above twice the minimum"
                   : "");
}

/* printf into the text of the file. */
static void append(struct data_file *file, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    size_t length = (size_t)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length >= sizeof line)
        length = sizeof line - 1;
    file->text = reallocate(file->text, file->length + length + 1);
    memcpy(file->text + file->length, line, length + 1);
    file->length += length;
}

/* Under another name first: a reader never sees half a file, and a full disk leaves the old one. */
static void write_whole(const struct data_file *file)
{
    char temporary[sizeof file->path + 32];
    // In the same folder, or rename() would have to copy; its own, as others may be writing that
    // file too.
    snprintf(temporary, sizeof temporary, "%s.%ld.part", file->path, (long)getpid());
    FILE *stream = fopen(temporary, "w");
    // The folder comes with the first row. Another program may be trying just then whether it can
    // be made.
    for (int tries = 0; !stream && errno == ENOENT && tries < 3; tries++) {
        (void)mkdir(file->folder, 0777);
        stream = fopen(temporary, "w");
    }
    bool good = stream && fwrite(file->text, 1, file->length, stream) == file->length;
    good = stream && fclose(stream) == 0 && good;
    if (!good || rename(temporary, file->path) != 0) {
        int error = errno;
        unlink(temporary);
        fail("cannot write %s: %s", file->path, strerror(error));
    }
}

void data_folder(const char *folder)
{
    struct stat about;
    bool made = mkdir(folder, 0777) == 0;
    if (!made && errno != EEXIST)
        fail("--out %s: cannot be made: %s", folder, strerror(errno));
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        fail("--out %s: is no folder", folder);
    if (access(folder, W_OK | X_OK) != 0)
        fail("--out %s: cannot be written to: %s", folder, strerror(errno));
    if (made)
        (void)rmdir(folder); // there is no row yet
}

struct data_file data_open(const struct step *step, const struct run *run,
                           const struct options *options, uint64_t evict_bytes)
{
    const struct device *device = run->device;
    const struct operation *operation = run->operation;
    const struct variant *variant = run->variant;
    struct data_file file = { .folder = options->out };
    uint32_t checksum = 0; // a loop on the host has no text that is read
    for (int i = run->plan->stage_count - 1; i >= 0; i--)
        if (run->plan->stages[i].kernel)
            checksum = run->plan->stages[i].kernel->checksum; // of the first launch that has one
    char date[16];
    time_t today = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&today));

    snprintf(file.path, sizeof file.path, "%s/%02d_%s.%s.%s.dat", options->out, step->number,
             variant->name, operation->op, operation->type);
    append(&file, "# step: %02d %s\n# variant: %s\n# article: %s\n# operator: %s\n# type: %s\n",
           step->number, step->name, variant->name, variant->article ? variant->article : "-",
           operation->op, operation->type);
    append(&file, "# main: %s\n# compared with: %02d\n", variant == step->variants ? "yes" : "no",
           step->compared_with);
    append(&file, "# date: %s\n# device: %s\n# driver: %s\n# opencl: %s\n", date, device->name,
           device->driver, device->version);
    append(&file, "# compute units: %u\n# last-level cache: %" PRIu64 "\n", device->compute_units,
           device->cache_bytes);
    append(
        &file,
        "# options: %s\n# seed: %u\n# repetitions: at least %d and %g s\n# evicted bytes: %" PRIu64
        "\n# kernel checksum: "
        "%08x\n",
        options->command, (unsigned)options->seed.value[0], (int)options->repetitions.value[0],
        options->seconds, evict_bytes, checksum);
    append(&file, "# seconds; GB = 1e9 B; percent 0-100; nan: missing\n");
    append(&file, "n bytes launches groups group width lanes backend kernel_min kernel_med "
                  "kernel_p90 span_med wall_min wall_med "
                  "wall_p90 GBps percent_of_limit kernel_percent limit_GBps floor_seconds error "
                  "bound verdict\n");
    return file;
}

void data_row(struct data_file *file, const struct row *row)
{
    append(file, "%" PRIu64 " %" PRIu64 " %zu %" PRIu64 " %zu %d %zu %s ", row->n, row->bytes,
           row->launches, row->groups, row->group, row->width, row->lanes, row->backend);
    // fabs: a missing value may be a negative NAN, which would be printed as -nan
    append(file, "%.4g %.4g %.4g %.4g %.4g %.4g %.4g ", fabs(row->kernel.min),
           fabs(row->kernel.median), fabs(row->kernel.p90), fabs(row->span.median), row->wall.min,
           row->wall.median, row->wall.p90);
    append(file, "%.4g %.4g %.4g %.4g %.4g %g %g %s\n", row->gbps, row->percent_of_limit,
           fabs(row->kernel_percent), row->limit_gbps, row->floor, row->accuracy.error,
           fabs(row->accuracy.bound), row->verdict);
    write_whole(file);
}

void data_comment(struct data_file *file, const char *comment)
{
    if (!*comment)
        return;
    append(file, "# %s\n", comment);
    write_whole(file);
}

void data_close(struct data_file *file) { free(file->text); }
