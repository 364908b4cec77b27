#include "check_operations.h"

#include "report.h"
#include <inttypes.h>
#include <stdio.h>

/* One line of TAP on rank 0. */
static enum status check_operation(struct ranks_table *table, int number, const uint64_t *sizes,
                                   int count)
{
    const struct operation *operation = table->problem.operation;
    enum status status = STATUS_RIGHT;
    for (int i = 0; i < count && status == STATUS_RIGHT; i++)
        status = verify_n(table, sizes[i]);
    if (world.rank != 0)
        return status;
    printf("%sok %d - %s, %s of %s, %d rank%s", status == STATUS_WRONG ? "not " : "", number,
           table->problem.variant->name, operation->op, operation->type, world.ranks,
           world.ranks == 1 ? "" : "s");
    if (status == STATUS_UNSUPPORTED)
        printf(" # SKIP %s", table->reduction.reason);
    printf("\n");
    if (status == STATUS_WRONG)
        printf("# n = %" PRIu64 ": %s\n", table->problem.n, table->reduction.verdict.reason);
    flush_output();
    return status;
}

enum status check_operations(struct ranks_table *table)
{
    const struct request *request = table->request;
    const uint64_t ranks = (uint64_t)world.ranks;
    uint64_t usual[] = { 1, ranks - 1, ranks, ranks + 1, 64, 1000, 4097, 300007 };
    const bool has_sizes = request->options->n.count > 0;
    const int usual_count = sort_and_filter(usual, sizeof usual / sizeof *usual, 1, UINT64_MAX);
    enum status status = STATUS_RIGHT;
    int count = 0;
    while (request->operations[count])
        count++;
    if (world.rank == 0)
        printf("1..%d\n# seed %u\n", count, (unsigned)table->seed);
    for (int i = 0; i < count; i++) {
        table->problem.operation = request->operations[i];
        table->problem.variant = choose_variant(request, request->operations[i]);
        if (check_operation(table, i + 1, has_sizes ? request->options->n.value : usual,
                            has_sizes ? request->options->n.count : usual_count) == STATUS_WRONG)
            status = STATUS_WRONG;
    }
    return status;
}
