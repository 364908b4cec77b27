/* 12 similarity_transform: a capstone, no step of the ladder
 * Idea     An algorithm made of reductions: the largest eigenvalue of a matrix without negative
 *          entries. Row sums, their maximum, a stop test, and a new matrix, round after round.
 * Change   (against the article, EIGEN) Its three versions, and ours: no atomics, one fixed order,
 *          any n; the next matrix and its row sums in one pass.
 * Expect   n atomics for each row sum in v0, none in ours; 8 bytes for each cell of a round
 *          instead of 12; the same bits from run to run in ours, not in v0.
 * Try      --version all; --stop article; --matrix random --n 4096 --stop article: who stops that?
 */
#include "capstone/similarity.h"

/* lambda lies between the least and the largest row sum of A. With the row sums s, D = diag(s),
 *
 *    M = A;   M <- D^-1 M D, round after round   M[i][j] = M[i][j] / s[i] * s[j]
 *
 * leaves lambda as it is, and draws all row sums together; v <- v s / max(s) becomes A's
 * eigenvector. */
static const struct part // what, kernel, its operator and type, how work-items are dealt out
    sums_v0 = { ROW_SUMS, "12_row_sums_v0.cl", "row_sums", "sum", "float", CELLS },
    sums_v1 = { ROW_SUMS, "12_row_sums_v1.cl", "row_sums", "sum", "float", CELLS },
    sums_v2 = { ROW_SUMS, "12_row_sums_v2.cl", "row_sums", "sum", "float", CELLS },
    sums = { ROW_SUMS, "12_row_sums.cl", "row_sums", "sum", "float", FOUR_ROWS },
    // the ladder's own kernels
    maximum_v0 = { MAXIMUM, "02_global.cl", "reduce", "max", "float", ITEMS },
    maximum_v1 = { MAXIMUM, "09_leader_global.cl", "reduce", "max", "float", ITEMS },
    maximum_v2 = { MAXIMUM, "09_leader_local.cl", "reduce", "max", "float", ITEMS },
    bounds = { MAXIMUM, "12_bounds.cl", "bounds", "max", "float", ONE_GROUP },
    vector_v0 = { EIGENVECTOR, "12_eigenvector.cl", "each_loads", "sum", "float", ITEMS },
    vector_v1 = { EIGENVECTOR, "12_eigenvector.cl", "leader_loads", "sum", "float", ITEMS },
    next_v0 = { NEXT_MATRIX, "12_next_matrix.cl", "next_matrix", "sum", "float", CELLS },
    next = { NEXT_MATRIX, "12_next_rows.cl", "next_rows", "sum", "float", FOUR_ROWS },
    next_and_sums = {
        NEXT_MATRIX, "12_next_row_sums.cl", "next_row_sums", "sum", "float", FOUR_ROWS
    };

static const struct version versions[] = {
    { "ours", &sums, &bounds, NULL, &next_and_sums, .one_pass = true },
    { "two_pass", &sums, &bounds, NULL, &next },
    { "v0", &sums_v0, &maximum_v0, &vector_v0, &next_v0,
      .article = "EIGEN: RowSum v0, EigenVec v0, NextMatrix, Stop" },
    { "v1", &sums_v1, &maximum_v1, &vector_v1, &next_v0,
      .article = "EIGEN: RowSum v1, EigenVec v1" },
    { "v2", &sums_v2, &maximum_v2, &vector_v1, &next_v0, .article = "EIGEN: RowSum v2" },
    { NULL },
};

static void find_row_sums(struct solver *s)
{
    const struct part *part = s->version->row_sums;
    if (part->shape == CELLS) // for the atomics
        clear(s, part, s->sums, s->n);
    RUN(s, part, ARRAY(s->matrix), NUMBER(s->n), NUMBER(s->stride), ARRAY(s->sums));
}

/* The largest row sum, and what it makes of the eigenvector: in one launch, or in two. */
static void find_maximum(struct solver *s)
{
    const struct part *part = s->version->maximum, *vector = s->version->eigenvector;
    if (!vector) {
        RUN(s, part, ARRAY(s->sums), NUMBER(s->n), ARRAY(s->vector), ARRAY(s->maximum));
        return;
    }
    clear(s, part, s->maximum, 1);
    RUN(s, part, ARRAY(s->sums), NUMBER(s->n), ARRAY(s->maximum));
    RUN(s, vector, ARRAY(s->sums), NUMBER(s->n), ARRAY(s->maximum), ARRAY(s->vector));
}

static void make_next_matrix(struct solver *s)
{
    const struct part *part = s->version->next_matrix;
    const cl_mem before = s->sums;
    if (!s->version->one_pass) {
        RUN(s, part, ARRAY(s->matrix), NUMBER(s->n), NUMBER(s->stride), ARRAY(s->sums));
        return;
    }
    RUN(s, part, ARRAY(s->matrix), NUMBER(s->n), NUMBER(s->stride), ARRAY(s->sums),
        ARRAY(s->next_sums));
    s->sums = s->next_sums;
    s->next_sums = before;
}

static bool iterate(struct solver *s)
{
    for (;; s->rounds++) {
        if (s->rounds == 0 || !s->version->one_pass)
            find_row_sums(s);
        find_maximum(s);
        // The host waits here in each round: it must know whether there is a next one.
        if (s->article_stop ? neighbours_are_near(s) : bounds_are_near(s))
            return true;
        if (s->rounds == s->most_rounds)
            return false;
        make_next_matrix(s);
    }
}

int main(int argc, char **argv) { return similarity_main(argc, argv, versions, iterate); }
