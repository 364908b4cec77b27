/* Seconds, GB = 1e9 bytes, percent from 0 to 100; missing is nan, or a dash for people. */
#include "written.h"

#include "timing/data_file.h"
#include "timing/report.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *percent_text(double percent, char text[16])
{
    snprintf(text, 16, "%.1f", percent);
    return isnan(percent) ? "-" : text;
}

void print_head(const struct arguments *a, const struct measured *m)
{
    const struct solver *s = &m->solver;
    printf("12 similarity_transform: %s", a->matrix ? a->matrix : "hilbert");
    if (a->matrix && strcmp(a->matrix, "random") == 0)
        printf(", seed %" PRIu64, a->seed);
    else if (a->matrix && strcmp(a->matrix, "hilbert") != 0)
        printf(", as floats");
    printf(", n = %" PRIu64 "; stop: %s %g%s\non %d  %s\n", s->n,
           a->article_stop ? "neighbours nearer than" : "max - min <=", (double)s->tolerance,
           a->article_stop ? "" : " max", s->device.number, s->device.name);
}

static void print_result(const struct measured *m)
{
    const struct solver *s = &m->solver;
    const struct truth *truth = &m->truth;
    printf("\n%s: %s after %d round%s\n", s->version->name,
           s->converged ? "converged" : "not converged", s->rounds, s->rounds == 1 ? "" : "s");
    if (!m->right)
        printf("WRONG: %s\n", m->why);
    // Printed bounds are bounds too: of nine digits, the last is rounded by half of 1e-8 at most.
    printf("lambda %.9g: for certain from %.9g to %.9g; row sums from %.8g to %.8g\n",
           (truth->least + truth->largest) / 2, truth->least * (1 - 5e-9),
           truth->largest * (1 + 5e-9), s->bounds[s->rounds].least, s->bounds[s->rounds].largest);
    printf("the article's lambda, row sum 0: %.8g; residual |A v - lambda v| / |lambda v| = %.2g\n",
           s->first_sum, truth->residual);
    if (!truth->positive)
        printf("the vector has elements too small for a float: here each counts as 1.2e-38\n");
}

static const char *part_name(const struct version *version, int kind)
{
    static const char *const names[KINDS] = { "row sums", "maximum", "eigenvector", "stop test",
                                              "next matrix" };
    if (kind == MAXIMUM && !version->eigenvector)
        return "bounds, eigenvector";
    return kind == NEXT_MATRIX && version->one_pass ? "next matrix, row sums" : names[kind];
}

void print_versions(const struct measured *versions, int count)
{
    char time[16], percent[16];
    for (int i = 0; i < count; i++)
        print_result(&versions[i]);
    printf("\n%-10s %-22s %9s %8s %8s\n", "version", "part", "median", "GB/s", "%limit");
    for (int i = 0; i < count; i++) {
        const struct measured *m = &versions[i];
        const char *name = m->solver.version->name;
        const double turns = m->solver.rounds + 1, cells = part_bytes(m, ROW_SUMS),
                     bytes = cells * (m->solver.version->one_pass ? 2 * turns - 1 : 3 * turns - 2);
        for (int kind = 0; kind < KINDS && m->right; kind++)
            if (!isnan(m->part[kind]))
                printf("%-10s %-22s %9s %8.3g %8s\n", name, part_name(m->solver.version, kind),
                       time_text(m->part[kind], time), 1e-9 * part_bytes(m, kind) / m->part[kind],
                       percent_text(m->percent[kind], percent));
        if (m->right)
            printf("%-10s %-22s %9s %8.3g %8s\n", name, "a round, wall time",
                   time_text(m->wall / turns, time), 1e-9 * bytes / m->wall,
                   percent_text(m->percent_of_floor, percent));
    }
    const double bytes = part_bytes(versions, ROW_SUMS);
    printf(
        "limits for these bytes: read %.3g GB/s, read and write %.3g GB/s; a round's is that of\n"
        "reading the matrix, then reading and writing it; one pass moves fewer bytes\n",
        1e-9 * bytes / versions->read, 2e-9 * bytes / versions->read_write);
}

/* ---- data */
static const char *const files[3] = { "parts", "solve", "bounds" };

static char *head(const struct arguments *a, const struct measured *m, const char *columns)
{
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (!to)
        fail("the host has no memory left for the data file");
    fputs("# step: 12 similarity_transform\n", to);
    data_device(to, &m->solver.device);
    fprintf(to, "# matrix: %s\n# stop: %s %g\n# seed: %" PRIu64 "\n# evicted bytes: 0\n",
            a->matrix ? a->matrix : "hilbert", a->article_stop ? "article" : "bounds",
            (double)m->solver.tolerance, a->seed);
    fprintf(to, "# seconds; GB = 1e9 B; percent 0-100; nan: missing\n%s\n", columns);
    fclose(to);
    return text;
}

static void version_rows(FILE *to[3], const struct measured *m)
{
    const struct solver *s = &m->solver;
    const char *name = s->version->name, *verdict = s->converged ? "right" : "not-converged";
    for (int kind = 0; kind < KINDS; kind++)
        if (!isnan(m->part[kind]))
            fprintf(to[0], "%s %s %" PRIu64 " %.0f %.4g %.4g %.4g %.4g\n", name, kind_names[kind],
                    (uint64_t)s->n, part_bytes(m, kind), m->part[kind],
                    1e-9 * part_bytes(m, kind) / m->part[kind], fabs(m->percent[kind]),
                    fabs(1e-9 * part_bytes(m, kind) / m->part[kind] / m->percent[kind] * 100));
    fprintf(to[1], "%s %" PRIu64 " %d %.4g %.4g %.4g %.9g %.9g %.2g %s\n", name, (uint64_t)s->n,
            s->rounds, m->wall, m->floor, m->percent_of_floor, m->truth.least, m->truth.largest,
            m->truth.residual, verdict);
    for (int round = 0; round <= s->rounds; round++)
        if (s->bounds[round].largest > 0) // not where the article's test leaves them out
            fprintf(to[2], "%s %" PRIu64 " %d %.8g %.8g\n", name, (uint64_t)s->n, round,
                    s->bounds[round].least, s->bounds[round].largest);
}

void write_versions(struct written *w, const struct measured *versions, int count)
{
    static const char *const columns[3] = {
        "variant kind n bytes seconds GBps percent_of_limit limit_GBps",
        "variant n rounds wall_med floor_seconds percent_of_floor least largest residual verdict",
        "variant n round least largest",
    };
    FILE *to[3];
    char *text[3], path[4096];
    size_t length[3];
    data_folder(w->arguments->out);
    for (int i = 0; i < 3; i++) {
        to[i] = open_memstream(&text[i], &length[i]);
        if (!to[i])
            fail("the host has no memory left for the data file");
        char *first = w->text[i] ? w->text[i] : head(w->arguments, versions, columns[i]);
        fputs(first, to[i]);
        free(first);
    }
    for (int v = 0; v < count; v++)
        if (versions[v].right)
            version_rows(to, &versions[v]);
    for (int i = 0; i < 3; i++) {
        fclose(to[i]);
        w->text[i] = text[i];
        snprintf(path, sizeof path, "%s/12_%s.dat", w->arguments->out, files[i]);
        write_data(path, text[i]);
    }
}
