/* 26 row_sums: the sum of each row of a matrix, of 100 columns; the last row may be shorter.
 *
 *   in    row 0: 100 elements | row 1: 100 | … | the rest        int
 *   out   a sum for each row, by the group with its number
 */
#include "beyond.h"

#include <stdlib.h>

enum { COLUMNS = 100 };

/* What comes out if each row has so many elements of those from `first` on. */
static uint32_t sums_of(const struct data *data, uint64_t columns)
{
    const uint64_t rows = ceil_div(data->n, COLUMNS);
    uint32_t *sum = calloc(rows, sizeof *sum);
    for (uint64_t i = 0; sum && i < data->n; i++)
        if (i % COLUMNS < columns)
            sum[i / COLUMNS] += (uint32_t)element_of(data, i);
    const uint32_t all = sum ? together(sum, rows) : 0;
    free(sum);
    return all;
}

static void reference(const struct data *data, void *result)
{
    *(uint32_t *)result = sums_of(data, COLUMNS);
}

static void fold(const void *partials, uint64_t count, void *result)
{
    *(uint32_t *)result = together(partials, count);
}

static const char *slip(const struct data *data, const void *wrong)
{
    const uint32_t got = *(const uint32_t *)wrong;
    for (uint64_t columns = 1; columns < COLUMNS; columns++)
        if (got == sums_of(data, columns))
            return "only the first elements of each row come in: has each work-item a loop?";
    return "a row is wrong: does each begin at its group's number, does the last end at n, is the "
           "tree right in groups that are no power of two?";
}

static bool plan(struct run *run)
{
    return launch_once(run, ceil_div(run->elements.count, COLUMNS), 1);
}

int main(int argc, char **argv)
{
    struct operation rows = operation_sum_int;
    rows.op = "row_sums";
    rows.reference = reference;
    rows.fold = fold;
    rows.slip = slip;
    const struct variant variants[] = { { "mine", "steps/exercises/26_row_sums/solution.cl", plan },
                                        { NULL } };
    const struct step step = { 26, "row_sums", 0, variants, &rows };
    return step_main(argc, argv, &step);
}
