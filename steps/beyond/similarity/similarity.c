/* From the command line to solvers, one for each version that is wanted. */
#include "similarity.h"

#include "arguments.h"
#include "checks.h"
#include "matrix.h"
#include "written.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSIONS = 8 };

static int chosen(const struct version *versions, const char *name, const struct version **to)
{
    int count = 0;
    for (const struct version *v = versions; v->name; v++)
        if (strcmp(name, "all") == 0 || strcmp(name, v->name) == 0)
            to[count++] = v;
    if (count == 0)
        fail("--version %s: no such version; --variants lists them", name);
    return count;
}

/* One matrix, solved and measured by all versions. Returns the exit status. */
static int one_size(const struct arguments *a, const struct solver *common, uint64_t n,
                    const struct version **versions, int count, struct written *written)
{
    struct measured *measured = allocate(VERSIONS * sizeof *measured);
    struct matrix matrix = matrix_open(a->matrix ? a->matrix : "hilbert", n);
    int status = 0;
    solver_must_fit(&common->device, matrix.n, count);
    matrix_fill(&matrix, (uint32_t)a->seed);
    for (int i = 0; i < count; i++) {
        measured[i].solver = *common;
        measured[i].solver.version = versions[i];
        measured[i].solver.a = matrix.cells;
        measured[i].solver.n = matrix.n;
        solver_open(&measured[i].solver);
    }
    print_head(a, measured);
    fflush(stdout);
    measure_versions(measured, count);
    print_versions(measured, count);
    if (a->out)
        write_versions(written, measured, count);
    for (int i = 0; i < count; i++) {
        if (!measured[i].right || !measured[i].solver.converged)
            status = EXIT_WRONG;
        solver_close(&measured[i].solver);
    }
    free(matrix.cells);
    free(measured);
    return status;
}

static void print_variants(const struct version *version)
{
    for (; version->name; version++)
        printf("%-14s %-24s %s\n", version->name, version->row_sums->file,
               version->article ? version->article : "");
}

int similarity_main(int argc, char **argv, const struct version *versions,
                    bool (*iterate)(struct solver *))
{
    const struct arguments a = arguments_parse(argc, argv);
    const struct version *wanted[VERSIONS];
    struct written written = { .arguments = &a };
    int status = 0;
    if (a.help)
        arguments_help();
    else if (a.list)
        device_print_list(a.device);
    else if (a.variants)
        print_variants(versions);
    if (a.help || a.list || a.variants)
        leave(0);

    const int count = chosen(versions, a.version ? a.version : versions->name, wanted);
    struct device device = device_open(a.device);
    struct solver common = { .device = device,
                             .iterate = iterate,
                             .back_end = back_end_choose(&device, a.sub_groups),
                             // A core of a CPU takes a row by itself, in vectors.
                             .ours = back_end_choose(&device, a.sub_groups ? a.sub_groups
                                                              : device.cpu ? "local:1"
                                                                           : NULL),
                             .article_stop = a.article_stop,
                             .group = a.group,
                             .most_rounds = (int)a.most_rounds,
                             .tolerance = a.tolerance > 0  ? (float)a.tolerance
                                          : a.article_stop ? 1e-3f
                                                           : 1e-5f };
    if (common.back_end.missing) {
        fprintf(stderr,
                "step12: not supported here: this device has no %s: --subgroups local "
                "stands in\n",
                common.back_end.missing);
        leave(EXIT_UNSUPPORTED);
    }
    if (a.check)
        status = check_all(&common, versions);
    for (int i = 0; i < a.sizes && !a.check; i++)
        status |= one_size(&a, &common, a.n[i], wanted, count, &written);
    for (int i = 0; i < 3; i++)
        free(written.text[i]);
    kernels_release(&device);
    device_close(&device);
    leave(status);
}
