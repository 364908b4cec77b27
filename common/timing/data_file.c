/* The file is kept in memory and written whole after each row, so that an interrupt leaves every
 * row that was measured and no half of one.
 */
#include "data_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void write_data(const char *path, const char *text)
{
    size_t rows = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        rows += *line != '#';
    char part[4096 + 32]; // beside it, for rename(); with the pid: two runs may write one file
    snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
    FILE *to = fopen(part, "w");
    bool good = to && fprintf(to, "# rows: %zu\n%s", rows - 1, text) > 0; // one names the columns
    good = to && fclose(to) == 0 && good;
    if (!good || rename(part, path) != 0) {
        int error = errno;
        unlink(part);
        fail("cannot write %s: %s", path, strerror(error));
    }
}

void data_folder(const char *folder)
{
    char inside[4096]; // "file/." does not exist, where "folder/." does
    snprintf(inside, sizeof inside, "%s/.", folder);
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || access(inside, W_OK | X_OK) != 0)
        fail("--out %s: cannot be made, or written to: %s", folder, strerror(errno));
}

void data_device(FILE *to, const struct device *device)
{
    char date[16];
    time_t today = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&today));
    fprintf(to, "# date: %s\n# device: %s\n# driver: %s\n# opencl: %s\n", date, device->name,
            device->driver, device->version);
    fprintf(to, "# compute units: %u\n# last-level cache: %" PRIu64 "\n", device->compute_units,
            last_level_cache(device));
}

static void open_file(struct data_file *file, const struct session *session, const struct run *run,
                      uint64_t evict_bytes)
{
    const struct options *options = session->options;
    const struct variant *variant = run->variant;
    snprintf(file->path, sizeof file->path, "%s/%02d_%s.%s.%s.dat", options->out,
             session->step->number, variant->name, run->operation->op, run->operation->type);
    FILE *to = file->memory = open_memstream(&file->text, &file->length);
    if (!to)
        fail("the host has no memory left for the data file");
    fprintf(to, "# step: %02d %s\n# variant: %s\n# article: %s\n", session->step->number,
            session->step->name, variant->name, variant->article ? variant->article : "-");
    fprintf(to, "# operator: %s\n# type: %s\n", run->operation->op, run->operation->type);
    fprintf(to, "# main: %s\n# compared with: %02d\n",
            variant == session->step->variants ? "yes" : "no", session->step->compared_with);
    data_device(to, run->device);
    fprintf(to, "# options: %s\n# seed: %u\n", options->command, (unsigned)options->seed.value[0]);
    fprintf(to, "# repetitions: at least %d and %g s\n", (int)options->repetitions.value[0],
            options->seconds);
    fprintf(to, "# evicted bytes: %" PRIu64 "\n", evict_bytes);
    fprintf(to, "# seconds; GB = 1e9 B; percent 0-100; nan: missing\n");
    fprintf(to, "n bytes launches groups group width lanes backend kernel_min kernel_med "
                "kernel_p90 span_med wall_min wall_med wall_p90 GBps percent_of_limit "
                "kernel_percent limit_GBps floor_seconds error bound verdict\n");
}

void data_row(struct data_file *file, const struct session *session, const struct run *run,
              const struct row *row, uint64_t evict_bytes)
{
    if (!file->memory)
        open_file(file, session, run, evict_bytes);
    FILE *to = file->memory;
    const struct stage *first = first_launch(run);
    const unsigned needs = run->variant->needs;
    int launches = 0;
    for (int i = 0; i < run->stage_count; i++)
        launches += !run->stages[i].on_host;
    fprintf(to, "%" PRIu64 " %" PRIu64 " %d %" PRIu64 " %zu %d %zu %s ", run->elements.count,
            row->bytes, launches, first->groups, first->group, run->width, run->lanes,
            needs & SUB_GROUPS     ? run->back_end.name
            : needs & LANES_X_RUNS ? "plain"
                                   : "none");
    fprintf(to, "%.4g %.4g %.4g %.4g %.4g %.4g %.4g ", row->kernel.min, row->kernel.median,
            row->kernel.p90, row->span.median, row->wall.min, row->wall.median, row->wall.p90);
    fprintf(to, "%.4g %.4g %.4g %.4g %.4g %g %g %s\n", row->gbps, row->percent_of_limit,
            100 * row->limit / row->span.median, row->limit_gbps, row->floor, row->accuracy.error,
            row->accuracy.bound, row->verdict);
    fflush(to);
    write_data(file->path, file->text);
}

void data_comment(struct data_file *file, const char *comment)
{
    fprintf(file->memory, "# %s\n", comment);
    fflush(file->memory);
    write_data(file->path, file->text);
}

void data_close(struct data_file *file)
{
    if (!file->memory)
        return;
    fclose(file->memory);
    free(file->text);
}
