/* 12 similarity_transform: a capstone, no step of the ladder
 * Idea     An algorithm made of reductions: the largest eigenvalue of a matrix without negative
 *          entries. Row sums, their maximum, a stop test, and a new matrix, round after round.
 * Change   (against the article, EIGEN) Its three versions, and ours: no atomics, one fixed order,
 *          any n; the next matrix and its row sums in one pass.
 * Expect   n x n atomics for each row sum in v0, none in ours; 8 bytes for each cell of a round
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
#define MAXIMUM_OF(file)                                                                           \
    {                                                                                              \
        MAXIMUM, file, "reduce", "max", "float", ITEMS                                             \
    } // the ladder's own
#define BOUNDS                                                                                     \
    {                                                                                              \
        MAXIMUM, "12_bounds.cl", "bounds", "max", "float", ONE_GROUP                               \
    }
#define SUMS(file, shape)                                                                          \
    {                                                                                              \
        ROW_SUMS, file, "row_sums", "sum", "float", shape                                          \
    }
#define VECTOR(function)                                                                           \
    {                                                                                              \
        EIGENVECTOR, "12_eigenvector.cl", function, "sum", "float", ITEMS                          \
    }
#define NEXT                                                                                       \
    {                                                                                              \
        NEXT_MATRIX, "12_next_matrix.cl", "next_matrix", "sum", "float", CELLS                     \
    }
#define NEXT_AND_SUMS                                                                              \
    {                                                                                              \
        NEXT_MATRIX, "12_next_row_sums.cl", "next_row_sums", "sum", "float", FOUR_ROWS             \
    }

static const struct version versions[] = {
    { "ours", SUMS("12_row_sums.cl", ROWS), BOUNDS, .next_matrix = NEXT_AND_SUMS,
      .one_pass = true },
    { "two_pass", SUMS("12_row_sums.cl", ROWS), BOUNDS, .next_matrix = NEXT },
    { "v0", SUMS("12_row_sums_v0.cl", CELLS), MAXIMUM_OF("02_global.cl"), VECTOR("each_loads"),
      NEXT, .article = "EIGEN: RowSum v0, EigenVec v0, NextMatrix, Stop" },
    { "v1", SUMS("12_row_sums_v1.cl", CELLS), MAXIMUM_OF("09_leader_global.cl"),
      VECTOR("leader_loads"), NEXT, .article = "EIGEN: RowSum v1, EigenVec v1" },
    { "v2", SUMS("12_row_sums_v2.cl", CELLS), MAXIMUM_OF("09_leader_local.cl"),
      VECTOR("leader_loads"), NEXT, .article = "EIGEN: RowSum v2" },
    { NULL },
};

static void row_sums(struct solver *s)
{
    const struct part *part = &s->version->row_sums;
    if (part->shape == CELLS) // for the atomics
        clear(s, part, s->sums, s->n);
    RUN(s, part, ARRAY(s->matrix), NUMBER(s->n), NUMBER(s->stride), ARRAY(s->sums));
}

/* The largest row sum, and what it makes of the eigenvector. */
static void maximum(struct solver *s)
{
    const struct version *version = s->version;
    if (!version->eigenvector.file) { // one launch does both, and finds the least row sum
        RUN(s, &version->maximum, ARRAY(s->sums), NUMBER(s->n), ARRAY(s->vector),
            ARRAY(s->maximum));
        return;
    }
    clear(s, &version->maximum, s->maximum, 1);
    RUN(s, &version->maximum, ARRAY(s->sums), NUMBER(s->n), ARRAY(s->maximum));
    RUN(s, &version->eigenvector, ARRAY(s->sums), NUMBER(s->n), ARRAY(s->maximum),
        ARRAY(s->vector));
}

static void next_matrix(struct solver *s)
{
    const struct part *part = &s->version->next_matrix;
    if (!s->version->one_pass) {
        RUN(s, part, ARRAY(s->matrix), NUMBER(s->n), NUMBER(s->stride), ARRAY(s->sums));
        return;
    }
    RUN(s, part, ARRAY(s->matrix), NUMBER(s->n), NUMBER(s->stride), ARRAY(s->sums),
        ARRAY(s->next_sums));
    cl_mem sums = s->next_sums;
    s->next_sums = s->sums;
    s->sums = sums;
}

static bool iterate(struct solver *s)
{
    for (;; s->rounds++) {
        if (s->rounds == 0 || !s->version->one_pass)
            row_sums(s);
        maximum(s);
        // The host waits here in each round: it must know whether there is a next one.
        if (s->article_stop ? neighbours_are_near(s) : bounds_are_near(s))
            return true;
        if (s->rounds == s->most_rounds)
            return false;
        next_matrix(s);
    }
}

int main(int argc, char **argv) { return similarity_main(argc, argv, versions, iterate); }
