/* Units: seconds, GB = 1e9 bytes, percent from 0 to 100. A missing value is nan in a data file, and
 * a dash in the table. */
#include "output.h"

#include "data_file.h"
#include "report.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *format_percent(double percent, char text[16])
{
    snprintf(text, 16, "%.1f", percent);
    return isnan(percent) ? "-" : text;
}

void print_head(const struct arguments *a, const struct measured_version *m)
{
    const struct solver *s = &m->solver;
    printf("12 similarity_transform: %s", a->matrix ? a->matrix : "hilbert");
    if (a->matrix && strcmp(a->matrix, "random") == 0)
        printf(", seed %" PRIu64, a->seed);
    else if (a->matrix && strcmp(a->matrix, "hilbert") != 0)
        printf(", as floats");
    printf(", n = %" PRIu64 "; stop: %s %g%s\non %d  %s\n", s->n,
           a->article_stop ? "neighbours nearer than" : "max - min <=", (double)s->tolerance,
           a->article_stop ? "" : " max", s->device->number, s->device->name);
}

static void print_result(const struct measured_version *m)
{
    const struct solver *s = &m->solver;
    const struct enclosure *enclosure = &m->enclosure;
    printf("\n%s: %s after %d round%s\n", s->version->name,
           s->has_converged ? "converged" : "not converged", s->rounds, s->rounds == 1 ? "" : "s");
    if (!m->is_right)
        printf("WRONG: %s\n", m->why);
    // Printing rounds to nine digits, an error of at most 5e-9. The wider interval stays certain.
    printf("lambda %.9g: for certain from %.9g to %.9g; row sums from %.8g to %.8g\n",
           (enclosure->smallest + enclosure->largest) / 2, enclosure->smallest * (1 - 5e-9),
           enclosure->largest * (1 + 5e-9), s->bounds[s->rounds].smallest,
           s->bounds[s->rounds].largest);
    printf("the article's lambda, row sum 0: %.8g; residual |A v - lambda v| / |lambda v| = %.2g\n",
           s->first_sum, enclosure->residual);
    if (!enclosure->is_positive)
        printf("some elements of the vector are too small for a float: each was replaced by "
               "1.2e-38\n");
}

static const char *part_name(const struct version *version, int kind)
{
    static const char *const names[PART_KINDS] = { "row sums", "maximum", "eigenvector",
                                                   "stop test", "next matrix" };
    if (kind == MAXIMUM && !version->eigenvector)
        return "bounds, eigenvector";
    return kind == NEXT_MATRIX && version->has_one_pass ? "next matrix, row sums" : names[kind];
}

void print_versions(const struct measured_version *versions, int count)
{
    char time[16], percent[16];
    for (int i = 0; i < count; i++)
        print_result(&versions[i]);
    printf("\n%-10s %-22s %9s %8s %8s\n", "version", "part", "median", "GB/s", "%limit");
    for (int i = 0; i < count; i++) {
        const struct measured_version *m = &versions[i];
        const char *name = m->solver.version->name;
        const double rounds = m->solver.rounds + 1, matrix = count_bytes(m, ROW_SUMS),
                     bytes = matrix *
                             (m->solver.version->has_one_pass ? 2 * rounds - 1 : 3 * rounds - 2);
        for (int kind = 0; kind < PART_KINDS && m->is_right; kind++)
            if (!isnan(m->part[kind]))
                printf("%-10s %-22s %9s %8.3g %8s\n", name, part_name(m->solver.version, kind),
                       format_time(m->part[kind], time),
                       1e-9 * count_bytes(m, kind) / m->part[kind],
                       format_percent(m->kernel_percent[kind], percent));
        if (m->is_right)
            printf("%-10s %-22s %9s %8.3g %8s\n", name, "a round, wall time",
                   format_time(m->wall / rounds, time), 1e-9 * bytes / m->wall,
                   format_percent(m->percent_of_limit, percent));
    }
    const double bytes = count_bytes(versions, ROW_SUMS);
    printf("%%limit: a part by the device's clock, of reading (%.3g GB/s), or of reading\n"
           "and writing (%.3g GB/s); a round by wall time, of a program that only moves\n"
           "the matrix as often as this version does, and fetches a word in each round.\n",
           1e-9 * bytes / versions->limit[ROW_SUMS], 2e-9 * bytes / versions->limit[NEXT_MATRIX]);
}

/* ---- data */
static const struct {
    const char *name, *columns;
} files[DATA_FILES] = {
    { "parts", "variant kind n bytes kernel_med GBps kernel_percent limit_kernel" },
    { "solve", "variant n rounds wall_med limit_wall percent_of_limit least largest residual "
               "verdict" },
    { "bounds", "variant n round least largest" },
};

static void write_head(FILE *to, const struct arguments *a, const struct measured_version *m,
                       const char *columns)
{
    fputs("# step: 12 similarity_transform\n", to);
    write_device(to, m->solver.device);
    fprintf(to, "# matrix: %s\n# stop: %s %g\n# seed: %" PRIu64 "\n# evicted bytes: 0\n",
            a->matrix ? a->matrix : "hilbert", a->article_stop ? "article" : "bounds",
            (double)m->solver.tolerance, a->seed);
    fprintf(to, "# seconds; GB = 1e9 B; percent 0-100; nan: missing\n%s\n", columns);
}

static void write_rows(FILE *const to[DATA_FILES], const struct measured_version *m)
{
    const struct solver *s = &m->solver;
    const char *name = s->version->name, *verdict = s->has_converged ? "right" : "not-converged";
    for (int kind = 0; kind < PART_KINDS; kind++) {
        const double gbps = 1e-9 * count_bytes(m, kind) / m->part[kind];
        if (!isnan(m->part[kind]))
            fprintf(to[0], "%s %s %" PRIu64 " %.0f %.4g %.4g %.4g %.4g\n", name,
                    part_kind_names[kind], (uint64_t)s->n, count_bytes(m, kind), m->part[kind],
                    gbps, fabs(m->kernel_percent[kind]), fabs(m->limit[kind])); // never "-nan"
    }
    fprintf(to[1], "%s %" PRIu64 " %d %.4g %.4g %.4g %.9g %.9g %.2g %s\n", name, (uint64_t)s->n,
            s->rounds, m->wall, m->limit_wall, m->percent_of_limit, m->enclosure.smallest,
            m->enclosure.largest, m->enclosure.residual, verdict);
    for (int round = 0; round <= s->rounds; round++)
        if (s->bounds[round].largest > 0) // the article's stop test computes only the last bounds
            fprintf(to[2], "%s %" PRIu64 " %d %.8g %.8g\n", name, (uint64_t)s->n, round,
                    s->bounds[round].smallest, s->bounds[round].largest);
}

/* Writes the text of all sizes so far, and the line that ends the file. */
static void write_data_file(const struct data_texts *data, int i)
{
    char path[4096];
    const size_t bytes = strlen(data->text[i]) + sizeof "# end\n";
    char *text = allocate(bytes);
    snprintf(text, bytes, "%s# end\n", data->text[i]);
    snprintf(path, sizeof path, "%s/12_%s.dat", data->arguments->out, files[i].name);
    replace_file(path, text, strlen(text));
    free(text);
}

void write_versions(struct data_texts *data, const struct measured_version *versions, int count)
{
    FILE *to[DATA_FILES];
    char *text[DATA_FILES];
    size_t length[DATA_FILES];
    create_data_folder(data->arguments->out);
    for (int i = 0; i < DATA_FILES; i++) {
        to[i] = open_memstream(&text[i], &length[i]);
        if (!to[i])
            fail("the host has no memory left for the data file");
        if (data->text[i])
            fputs(data->text[i], to[i]);
        else
            write_head(to[i], data->arguments, versions, files[i].columns);
    }
    for (int v = 0; v < count; v++)
        if (versions[v].is_right)
            write_rows(to, &versions[v]);
    for (int i = 0; i < DATA_FILES; i++) {
        fclose(to[i]);
        free(data->text[i]);
        data->text[i] = text[i];
        write_data_file(data, i);
    }
}
