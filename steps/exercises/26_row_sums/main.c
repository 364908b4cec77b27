/* 26 row_sums: the sum of each row of a matrix of 100 columns. The last row may be shorter.
 *
 *   in    row 0: 100 elements | row 1: 100 | … | the rest        int
 *   out   a sum for each row; group g sums row g
 */
#include "../beyond.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 100 };

static uint32_t *folded; // a copy of the sums of the last fold()

/* The sum of each row if only its first `columns` elements count. To be released by free(). */
static uint32_t *sum_rows(const struct data *data, uint64_t columns)
{
    uint32_t *sums = allocate(ceil_div(data->n, COLUMNS) * sizeof *sums);
    for (uint64_t i = 0; i < data->n; i++)
        if (i % COLUMNS < columns)
            sums[i / COLUMNS] += (uint32_t)element_of(data, i);
    return sums;
}

static void reference(const struct data *data, void *result)
{
    uint32_t *sums = sum_rows(data, COLUMNS);
    const uint32_t hash = hash_results(sums, ceil_div(data->n, COLUMNS));
    free(sums);
    memcpy(result, &hash, sizeof hash);
}

static void fold(const void *partials, uint64_t count, void *result)
{
    const uint32_t hash = hash_results(partials, count);
    free(folded);
    folded = allocate(count * sizeof *folded);
    memcpy(folded, partials, count * sizeof *folded);
    memcpy(result, &hash, sizeof hash);
}

/* The first row whose sum is not that of its first `columns` elements. If there is none: the number
 * of rows. */
static uint64_t find_other_row(const struct data *data, uint64_t columns)
{
    const uint64_t rows = ceil_div(data->n, COLUMNS);
    uint32_t *sums = sum_rows(data, columns);
    uint64_t row = 0;
    while (row < rows && folded[row] == sums[row])
        row++;
    free(sums);
    return row;
}

/* The hash shows nothing, but the sums do. */
static const char *explain_value(const struct data *data, const void *hash)
{
    static char text[200];
    const uint64_t rows = ceil_div(data->n, COLUMNS), row = find_other_row(data, COLUMNS);
    (void)hash;
    for (uint64_t columns = 1; columns < COLUMNS; columns++)
        if (find_other_row(data, columns) == rows)
            return "only the first elements of each row count: does each work-item have a loop?";
    if (row == rows)
        return NULL;
    const char *question = row == 0 ? "is the tree right if the group size is not a power of two, "
                                      "and does the last row end at n?"
                           : row == rows - 1 ? "does the last row end at n?"
                                             : "does each group begin at its own row?";
    uint32_t *right = sum_rows(data, COLUMNS);
    snprintf(text, sizeof text, "row %" PRIu64 " has the sum %" PRId32 ", not %" PRId32 ": %s", row,
             (int32_t)folded[row], (int32_t)right[row], question);
    free(right);
    return text;
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
        { "row_sums", "./steps/exercises/26_row_sums/solution.cl", plan }, { NULL }
    };
    const struct step step = { 26, "row_sums", 0, variants, &rows };
    return step_main(argc, argv, &step);
}
