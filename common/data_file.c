#include "data_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

void create_data_folder(const char *folder)
{
    char inside[PATH_BYTES]; // "file/." does not exist, but "folder/." does
    snprintf(inside, sizeof inside, "%s/.", folder);
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || access(inside, W_OK | X_OK) != 0)
        fail("--out %s: cannot create this folder, or cannot write into it: %s", folder,
             strerror(errno));
}

void replace_file(const char *path, const char *bytes, size_t count)
{
    char part[PATH_BYTES + 32]; // a file beside it, named by process: two runs may write one file
    snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) // root could replace even /dev/null
        fail("cannot write %s: not an ordinary file", path);
    FILE *stream = fopen(part, "w");
    bool written = stream && fwrite(bytes, 1, count, stream) == count;
    written = stream && fclose(stream) == 0 && written;
    if (!written || rename(part, path) != 0) {
        const int error = errno;
        unlink(part);
        fail("cannot write %s: %s", path, strerror(error));
    }
}

/* ---- rows */
void write_device(FILE *to, const struct device *device)
{
    char date[16];
    time_t today = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&today));
    fprintf(to, "# date: %s\n# device: %s\n# driver: %s\n# opencl: %s\n", date, device->name,
            device->driver, device->version);
    fprintf(to, "# compute units: %u\n# last-level cache: %" PRIu64 "\n", device->compute_units,
            device->cache_bytes);
}

static void write_head(FILE *to, const struct request *request, const struct problem *problem,
                       bool has_ranks)
{
    const struct step *step = request->step;
    const struct options *options = request->options;
    const struct variant *variant = problem->variant;
    const struct operation *operation = problem->operation;
    fprintf(to, "# step: %02d %s\n# variant: %s\n# article: %s\n", step->number, step->name,
            variant->name, variant->article ? variant->article : "-");
    fprintf(to, "# operator: %s\n# type: %s\n", operation->op, operation->type);
    // by name, because with --kernel the variant is a copy
    const bool is_main = strcmp(variant->name, step->variants->name) == 0;
    fprintf(to, "# main: %s\n# compared with: %02d\n", is_main ? "yes" : "no", step->compared_with);
    write_device(to, request->device);
    fprintf(to, "# options: %s\n# seed: %u\n", options->command, (unsigned)options->seed);
    fprintf(to, "# repetitions: at least %d and %g s%s\n", (int)options->repetitions,
            options->seconds, options->may_end_early ? "; 3 of a slow row" : "");
    fprintf(to, "# evicted bytes: %" PRIu64 "\n", request->device->evict_bytes);
    fprintf(to, "# seconds; GB = 1e9 B; percent 0-100; nan: missing\n");
    fprintf(to,
            "n bytes launches groups group width lanes backend kernel_min kernel_med "
            "kernel_p90 span_med wall_min wall_med wall_p90 GBps percent_of_limit "
            "kernel_percent limit_GBps read_wall read_kernel verdict%s\n",
            has_ranks ? " ranks devices collective_min collective_med collective_p90" : "");
}

/* Replaces the whole file. If it appended a line, a reader could see half of that line. */
static void update(struct data_file *file)
{
    if (fflush(file->lines) != 0)
        fail("the host has no memory left for the data file");
    if (file->has_row)
        replace_file(file->path, file->text, file->length);
}

void open_data_file(struct data_file *file, const struct request *request,
                    const struct problem *problem, bool has_ranks)
{
    snprintf(file->path, sizeof file->path, "%s/%02d_%s.%s.%s.dat", request->options->out,
             request->step->number, problem->variant->name, problem->operation->op,
             problem->operation->type);
    file->lines = open_memstream(&file->text, &file->length);
    if (!file->lines)
        fail("the host has no memory left for the data file");
    write_head(file->lines, request, problem, has_ranks);
}

/* Launches and fills. */
static int count_launches(const struct reduction *reduction)
{
    int count = 0;
    for (int i = 0; i < reduction->stage_count; i++)
        count += reduction->stages[i].kind != STAGE_ON_HOST;
    return count;
}

void write_row(struct data_file *file, const struct reduction *reduction, const struct row *row)
{
    static const char *const verdicts[] = { "right", "noisy", "doubted" }; // enum rating
    const struct stage *first = &reduction->stages[reduction->first_launch];
    const struct variant *variant = reduction->problem.variant;
    const char *back_end = variant->needs & NEEDS_SUB_GROUPS       ? reduction->back_end.name
                           : variant->needs & NEEDS_TWO_DIMENSIONS ? "plain"
                                                                   : "none";
    fprintf(file->lines,
            "%" PRIu64 " %" PRIu64 " %d %" PRIu64 " %zu %d %zu %s %.4g %.4g %.4g %.4g %.4g %.4g "
            "%.4g %.4g %.4g %.4g %.4g %.4g %.4g %s",
            reduction->input.data.n, row->bytes, count_launches(reduction), first->groups,
            first->group_size, reduction->width, reduction->lanes, back_end, row->kernel.min,
            row->kernel.median, row->kernel.p90, row->span.median, row->wall.min, row->wall.median,
            row->wall.p90, row->gbps, row->percent_of_limit,
            100 * row->read_kernel / row->span.median, row->limit_gbps, row->read_wall,
            row->read_kernel, verdicts[row->rating]);
    if (row->ranks)
        fprintf(file->lines, " %d %d %.4g %.4g %.4g", row->ranks, row->devices, row->collective.min,
                row->collective.median, row->collective.p90);
    fprintf(file->lines, "\n");
    file->has_row = true;
    update(file);
}

void write_comment(struct data_file *file, const char *comment)
{
    if (!file->lines)
        return;
    fprintf(file->lines, "# %s\n", comment);
    update(file);
}

void close_data_file(struct data_file *file)
{
    if (!file->lines)
        return;
    fprintf(file->lines, "# end\n");
    update(file);
    fclose(file->lines);
    free(file->text);
    *file = (struct data_file) { .has_row = false };
}
