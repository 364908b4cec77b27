/* The algorithm on a device: its arrays, launching a part of a round, the clock of each part.
 *
 *   A --solve()--> round, round, round … --> lambda's bounds, the eigenvector, seconds of each part
 */
#pragma once

#include "step.h"

enum kind { ROW_SUMS, MAXIMUM, EIGENVECTOR, STOP, NEXT_MATRIX, KINDS };

/* How work-items are dealt out. The article's: CELLS, groups along a row, a work-item to each cell;
 * ITEMS, one to each of n. Ours: FOUR_ROWS, a sub-group or a few along four rows, several fours to
 * a group; ONE_GROUP. */
enum shape { CELLS, ITEMS, FOUR_ROWS, ONE_GROUP };

struct part { // of a round
    enum kind kind;
    const char *file, *function, *op, *type;
    enum shape shape;
};

struct version {
    const char *name;
    // eigenvector: NULL where maximum does that too, and finds the least row sum
    const struct part *row_sums, *maximum, *eigenvector, *next_matrix;
    bool one_pass; // next_matrix leaves the next row sums too
    const char *article;
};

struct event { // one command of a round
    cl_event event;
    enum kind kind;
    int round;
};

struct bounds { // of the row sums, and so of lambda
    float least, largest;
    float apart; // neighbours, in a circle: as the host sees it at the end
};

struct ready { // a part with its kernel, and its group's size
    const struct part *part;
    const struct kernel *kernel;
    size_t group;
};

struct solver {
    // given
    struct device device;           // on its queue with profiling, or not
    struct back_end back_end, ours; // of sub-groups: in the article's parts, and in ours
    const struct version *version;
    bool (*iterate)(struct solver *); // true: the stop test was met
    const float *a;                   // the matrix, on the host
    cl_ulong n, stride;               // stride: from one row to the next, a multiple of 16
    bool article_stop;                // neighbours in a circle, absolute; else the bounds, relative
    float tolerance;
    int most_rounds;
    size_t group;                               // 0: each part's own
    void (*beside)(struct solver *, enum kind); // called behind each launch, or NULL
    struct sampler *sampler;                    // for it to use
    // made by solver_open
    size_t lanes, across, least_group; // of a sub-group; work-items along four rows of ours
    cl_mem matrix, sums, next_sums, vector, maximum, flag;
    struct ready ready[8];
    struct bounds *bounds; // after each round
    // of the last solve()
    bool converged;
    int rounds; // updates of the matrix: row sums were taken once more
    double wall;
    float first_sum; // what the article calls lambda
    struct event *events;
    int event_count;
};

/* Fails if so many matrices do not fit. */
void solver_must_fit(const struct device *device, uint64_t n, int versions);
void solver_open(struct solver *solver);
void solver_close(struct solver *solver);

/* From A to its end. True: the stop test was met. */
bool solve(struct solver *solver, bool clocked);
void solver_vector(const struct solver *solver, float *vector); // n floats
float *solver_matrix(const struct solver *solver);              // as it is now; free() it

/* ---- words for iterate */
#define RUN(solver, part, ...)                                                                     \
    (kernel_set(part_ready(solver, part)->kernel, __VA_ARGS__,                                     \
                part_ready(solver, part)->group * sizeof(float), (void *)NULL),                    \
     part_launch(solver, part_ready(solver, part)))
const struct ready *part_ready(struct solver *solver, const struct part *part);
void part_launch(struct solver *solver, const struct ready *ready);

/* The identity of the part's operator, for its atomics to begin with. */
void clear(struct solver *solver, const struct part *part, cl_mem buffer, uint64_t count);

/* The stop tests: by the host where no part has done it. */
bool neighbours_are_near(struct solver *solver);
bool bounds_are_near(struct solver *solver);
