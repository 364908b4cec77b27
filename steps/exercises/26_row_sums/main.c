/* 26 row_sums: the sum of each row of a matrix of 100 columns. The last row may be shorter.
 *
 *   in    row 0: 100 elements | row 1: 100 | … | the rest        int
 *   out   a sum for each row; group g sums row g
 */
#include "beyond.h"

#include <stdlib.h>

enum { COLUMNS = 100 };

/* The result if only the first `columns` elements of each row count. */
static uint32_t sum_rows(const struct data *data, uint64_t columns)
{
    const uint64_t rows = ceil_div(data->n, COLUMNS);
    uint32_t *sum = allocate(rows * sizeof *sum);
    for (uint64_t i = 0; i < data->n; i++)
        if (i % COLUMNS < columns)
            sum[i / COLUMNS] += (uint32_t)element_of(data, i);
    const uint32_t hash = hash_results(sum, rows);
    free(sum);
    return hash;
}

static void reference(const struct data *data, void *result)
{
    const uint32_t hash = sum_rows(data, COLUMNS);
    memcpy(result, &hash, sizeof hash);
}

static void fold(const void *partials, uint64_t count, void *result)
{
    const uint32_t hash = hash_results(partials, count);
    memcpy(result, &hash, sizeof hash);
}

static const char *explain_value(const struct data *data, const void *wrong)
{
    uint32_t got;
    memcpy(&got, wrong, sizeof got);
    for (uint64_t columns = 1; columns < COLUMNS; columns++)
        if (got == sum_rows(data, columns))
            return "only the first elements of each row count: does each work-item have a loop?";
    return "a row is wrong: does each group begin at its own row, does the last row end at n, and "
           "is the tree right if the group size is not a power of two?";
}

static void plan(struct reduction *reduction)
{
    launch_once(reduction, ceil_div(reduction->elements.count, COLUMNS), 1);
}

int main(int argc, char **argv)
{
    struct operation rows = operation_sum_int;
    rows.op = "row_sums";
    rows.reference = reference;
    rows.fold = fold;
    rows.explain_value = explain_value;
    const struct variant variants[] = {
        { "mine", "./steps/exercises/26_row_sums/solution.cl", plan }, { NULL }
    };
    const struct step step = { 26, "row_sums", 0, variants, &rows };
    return step_main(argc, argv, &step);
}
