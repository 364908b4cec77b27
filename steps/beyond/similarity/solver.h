/* The algorithm on a device: its arrays, the launches of a round, and the time of each launch.
 *
 *   open_solver        allocates the arrays
 *   solve              writes A and calls iterate(), which is in 12_similarity_transform.c
 *     for each round:
 *       launch_part      computes row sums, maximum, eigenvector or next matrix
 *       bounds_are_near  (or neighbours_are_near) is the stop test
 *   read_vector        copies the eigenvector to the host
 *   close_solver       releases the arrays
 */
#pragma once

#include "parts.h"

struct version {
    const char *name;
    // eigenvector is NULL if the kernel of the maximum computes it, and the smallest row sum, too
    const struct part *row_sums, *maximum, *eigenvector, *next_matrix;
    bool has_one_pass;   // the kernel for the next matrix also computes its row sums
    const char *article; // the names of this version in the article
};

/* Carries out the rounds, starting with A's row sums. Returns whether the stop test was met. */
typedef bool iterate_function(struct solver *solver, cl_command_queue queue);

struct timed_event { // belongs to one command of a round
    cl_event event;
    enum part_kind kind;
    int round;
};

struct bounds { // for the row sums, and so for lambda
    float smallest, largest;
    float gap; // the largest difference of neighbours, in a circle; only the host computes it
};

struct solver {
    // set by the caller
    struct device *device;
    struct back_end article_back_end, own_back_end; // of sub-groups
    const struct version *version;
    iterate_function *iterate;
    const float *a;    // the matrix, on the host
    cl_ulong n;        // rows and columns
    bool article_stop; // the stop test compares neighbours; otherwise bounds, relative
    float tolerance;
    int rounds_max;
    size_t group_size; // 0 if each part chooses its size
    void (*after_launch)(struct solver *solver, enum part_kind kind); // or NULL
    struct sampler *sampler;                                          // for after_launch

    // set by open_solver()
    cl_ulong stride;   // floats from one row to the next, a multiple of 16
    size_t lanes;      // of a sub-group in the article's parts
    size_t row_items;  // work-items for four rows in our own parts
    size_t group_unit; // each group size is a multiple of this
    cl_mem matrix, sums, next_sums, vector, maximum, flag;
    struct prepared_part parts[PARTS_MAX];
    struct bounds *bounds; // of each round

    // set by solve()
    bool has_converged;
    int rounds;                 // new matrices; the row sums were computed once more
    double wall;                // seconds
    float first_sum;            // the article calls this lambda
    struct timed_event *events; // only if solve() used the profiled queue
    int event_count;
};

/* Fails if the device has no room for the matrices of all versions. */
void check_room(const struct device *device, uint64_t n, int versions);
void open_solver(struct solver *solver);
void close_solver(struct solver *solver);

/* Solves, starting with A. The parts have times only on the device's profiled queue. */
void solve(struct solver *solver, cl_command_queue queue);
void read_vector(const struct solver *solver, float *vector); // has n floats

/* ---- functions that iterate() calls, besides launch_part() and fill_with_identity() */

/* The two stop tests. Both wait for the device. */
bool neighbours_are_near(struct solver *solver, cl_command_queue queue);
bool bounds_are_near(struct solver *solver, cl_command_queue queue);
