#include "similarity.h"

#include "arguments.h"
#include "check_versions.h"
#include "matrix.h"
#include "output.h"
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSIONS_MAX = 8 };

/* Returns how many versions have this name. */
static int choose_versions(const struct version *versions, const char *name,
                           const struct version *chosen[VERSIONS_MAX])
{
    int count = 0;
    for (const struct version *version = versions; version->name; version++)
        if (strcmp(name, "all") == 0 || strcmp(name, version->name) == 0)
            chosen[count++] = version;
    if (count == 0)
        fail("--version %s: no such version; --variants lists them", name);
    return count;
}

static void list_versions(const struct version *versions)
{
    for (const struct version *version = versions; version->name; version++)
        printf("%-14s %-27s %s\n", version->name, version->row_sums->file,
               version->article ? version->article : "");
}

/* Returns a solver with the settings that all versions share. */
static struct solver prepare_solver(const struct arguments *a, struct device *device,
                                    iterate_function *iterate)
{
    // In our kernels a core of a CPU sums a row alone, in vectors, so one lane is best.
    const char *own_sub_groups = !a->sub_groups && device->is_cpu ? "local:1" : a->sub_groups;
    const double usual_tolerance = a->article_stop ? 1e-3 : 1e-5;
    return (struct solver) {
        .device = device,
        .iterate = iterate,
        .article_back_end = choose_back_end(device, a->sub_groups),
        .own_back_end = choose_back_end(device, own_sub_groups),
        .article_stop = a->article_stop,
        .group_size = a->group_size,
        .rounds_max = (int)a->rounds_max,
        .tolerance = (float)(a->tolerance > 0 ? a->tolerance : usual_tolerance),
    };
}

/* Solves and measures one matrix with all chosen versions. */
static enum status solve_matrix(const struct arguments *a, const struct solver *common, uint64_t n,
                                const struct version *const *versions, int count,
                                struct data_texts *data)
{
    struct measured_version *measured = allocate(count * sizeof *measured);
    struct matrix matrix = open_matrix(a->matrix ? a->matrix : "hilbert", n);
    enum status status = STATUS_RIGHT;
    check_room(common->device, matrix.n, count);
    fill_matrix(&matrix, (uint32_t)a->seed);
    for (int i = 0; i < count; i++) {
        struct solver *solver = &measured[i].solver;
        *solver = *common;
        solver->version = versions[i];
        solver->a = matrix.cells;
        solver->n = matrix.n;
        open_solver(solver);
    }
    print_head(a, measured);
    fflush(stdout); // the measurements take seconds
    measure_versions(measured, count);
    print_versions(measured, count);
    if (a->out)
        write_versions(data, measured, count);
    for (int i = 0; i < count; i++) {
        if (!measured[i].is_right || !measured[i].solver.has_converged)
            status = STATUS_WRONG;
        close_solver(&measured[i].solver);
    }
    free(matrix.cells);
    free(measured);
    return status;
}

static enum status solve_all(const struct arguments *a, const struct solver *common,
                             const struct version *versions)
{
    const struct version *chosen[VERSIONS_MAX];
    const int count = choose_versions(versions, a->version ? a->version : versions->name, chosen);
    struct data_texts data = { .arguments = a };
    enum status status = STATUS_RIGHT;
    for (int i = 0; i < a->n.count; i++)
        if (solve_matrix(a, common, a->n.value[i], chosen, count, &data) != STATUS_RIGHT)
            status = STATUS_WRONG;
    for (int i = 0; i < DATA_FILES; i++)
        free(data.text[i]);
    return status;
}

static enum status run_on_device(const struct arguments *a, const struct version *versions,
                                 iterate_function *iterate)
{
    struct device device = open_device(a->device);
    const struct solver common = prepare_solver(a, &device, iterate);
    enum status status = STATUS_UNSUPPORTED;
    if (common.article_back_end.missing)
        fprintf(stderr, "%s: not supported here: this device has no %s: use --subgroups local\n",
                program_name, common.article_back_end.missing);
    else if (a->check)
        status = check_versions(&common, versions);
    else
        status = solve_all(a, &common, versions);
    close_device(&device);
    return status;
}

int similarity_main(int argc, char **argv, const struct version *versions,
                    iterate_function *iterate)
{
    const struct arguments a = parse_arguments(argc, argv);
    enum status status = STATUS_RIGHT;
    if (a.help)
        print_arguments_help();
    else if (a.list)
        print_devices(a.device);
    else if (a.variants)
        list_versions(versions);
    else
        status = run_on_device(&a, versions, iterate);
    flush_output();
    return status;
}
