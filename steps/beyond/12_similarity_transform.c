/* 12 similarity_transform
 * Idea     An algorithm made of reductions: the largest eigenvalue of a matrix without negative
 *          entries. Each round computes row sums, their maximum, a stop test and a new matrix.
 * Change   (against the article, EIGEN) Besides the article's three versions v0, v1 and v2 there is
 *          our own version, called ours. It uses no atomics, adds in one fixed order, and sums each
 *          row while it writes that row.
 * Expect   v0 performs n atomics per row sum, but ours performs none. In each round ours moves
 *          8 bytes per cell instead of 12. It gives the same bits in every run, but v0 does not.
 * Try      --version all; then --stop article; then --matrix random --n 4096 --stop article
 *          --version all. Which versions stop? Would they stop with another --seed, too?
 */
#include "similarity/similarity.h"

/* The largest eigenvalue, lambda, lies between the smallest and the largest row sum of A. Let s be
 * the row sums and D = diag(s). Each round replaces the matrix M, which is A at first, and the
 * vector v, whose elements are 1 at first:
 *
 *    M <- D^-1 M D        M[i][j] = M[i][j] / s[i] * s[j]
 *    v <- v s / max(s)    v[i] = v[i] * (s[i] / max(s))
 *
 * The new M has the same lambda, and its row sums are closer together. v approaches the eigenvector
 * of A. */
static const struct part // kind, file and function of the kernel, operator and type, shape
    sums_v0 = { ROW_SUMS, "beyond/12_row_sums_v0.cl", "row_sums", "sum", "float", CELLS },
    sums_v1 = { ROW_SUMS, "beyond/12_row_sums_v1.cl", "row_sums", "sum", "float", CELLS },
    sums_v2 = { ROW_SUMS, "beyond/12_row_sums_v2.cl", "row_sums", "sum", "float", CELLS },
    sums = { ROW_SUMS, "beyond/12_row_sums.cl", "row_sums", "sum", "float", FOUR_ROWS },
    // the kernels of steps 02 and 09
    maximum_v0 = { MAXIMUM, "02_global.cl", "reduce", "max", "float", ITEMS },
    maximum_v1 = { MAXIMUM, "09_leader_global.cl", "reduce", "max", "float", ITEMS },
    maximum_v2 = { MAXIMUM, "09_leader_local.cl", "reduce", "max", "float", ITEMS },
    bounds = { MAXIMUM, "beyond/12_bounds.cl", "bounds", "max", "float", ONE_GROUP },
    vector_v0 = { EIGENVECTOR, "beyond/12_eigenvector.cl", "each_loads", "sum", "float", ITEMS },
    vector_v1 = { EIGENVECTOR, "beyond/12_eigenvector.cl", "leader_loads", "sum", "float", ITEMS },
    next_v0 = { NEXT_MATRIX, "beyond/12_next_matrix.cl", "next_matrix", "sum", "float", CELLS },
    next = { NEXT_MATRIX, "beyond/12_next_rows.cl", "next_rows", "sum", "float", FOUR_ROWS },
    next_and_sums = { NEXT_MATRIX, "beyond/12_next_row_sums.cl", "next_row_sums", "sum", "float",
                      FOUR_ROWS };

static const struct version versions[] = {
    { "ours", &sums, &bounds, NULL, &next_and_sums, .has_one_pass = true },
    { "two_pass", &sums, &bounds, NULL, &next },
    { "v0", &sums_v0, &maximum_v0, &vector_v0, &next_v0,
      .article = "EIGEN: RowSum v0, EigenVec v0, NextMatrix, Stop" },
    { "v1", &sums_v1, &maximum_v1, &vector_v1, &next_v0,
      .article = "EIGEN: RowSum v1, EigenVec v1" },
    { "v2", &sums_v2, &maximum_v2, &vector_v1, &next_v0, .article = "EIGEN: RowSum v2" },
    { NULL },
};

static void find_row_sums(struct solver *s, cl_command_queue queue)
{
    const struct part *part = s->version->row_sums;
    const struct argument arguments[] = { ARGUMENT(s->matrix), ARGUMENT(s->n), ARGUMENT(s->stride),
                                          ARGUMENT(s->sums) };
    if (part->shape == CELLS) // the kernel combines into the sums by atomics
        fill_with_identity(s, queue, part, s->sums, s->n);
    launch_part(s, queue, part, arguments, 4);
}

/* Computes the largest row sum, and then the eigenvector. Ours needs one launch for both. */
static void find_maximum(struct solver *s, cl_command_queue queue)
{
    const struct part *part = s->version->maximum, *eigenvector = s->version->eigenvector;
    const struct argument of_both[] = { ARGUMENT(s->sums), ARGUMENT(s->n), ARGUMENT(s->vector),
                                        ARGUMENT(s->maximum) };
    const struct argument of_maximum[] = { ARGUMENT(s->sums), ARGUMENT(s->n),
                                           ARGUMENT(s->maximum) };
    const struct argument of_eigenvector[] = { ARGUMENT(s->sums), ARGUMENT(s->n),
                                               ARGUMENT(s->maximum), ARGUMENT(s->vector) };
    if (!eigenvector) {
        launch_part(s, queue, part, of_both, 4);
        return;
    }
    fill_with_identity(s, queue, part, s->maximum, 1);
    launch_part(s, queue, part, of_maximum, 3);
    launch_part(s, queue, eigenvector, of_eigenvector, 4);
}

static void make_next_matrix(struct solver *s, cl_command_queue queue)
{
    const cl_mem old_sums = s->sums;
    const struct argument arguments[] = { ARGUMENT(s->matrix), ARGUMENT(s->n), ARGUMENT(s->stride),
                                          ARGUMENT(s->sums), ARGUMENT(s->next_sums) };
    launch_part(s, queue, s->version->next_matrix, arguments, s->version->has_one_pass ? 5 : 4);
    if (s->version->has_one_pass) {
        s->sums = s->next_sums;
        s->next_sums = old_sums;
    }
}

static bool iterate(struct solver *s, cl_command_queue queue)
{
    for (;; s->rounds++) {
        if (s->rounds == 0 || !s->version->has_one_pass)
            find_row_sums(s, queue);
        find_maximum(s, queue);
        // The host waits here in each round, because only the stop test tells whether to go on.
        if (s->article_stop ? neighbours_are_near(s, queue) : bounds_are_near(s, queue))
            return true;
        if (s->rounds == s->rounds_max)
            return false;
        make_next_matrix(s, queue);
    }
}

int main(int argc, char **argv) { return similarity_main(argc, argv, versions, iterate); }
