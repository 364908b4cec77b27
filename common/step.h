/* What a step needs: words for its plan, and step_main, which runs, verifies and measures what is
 * planned.
 *
 *   plan() --stage()--> stages, in order --step_main()--> checked, timed, checked again, printed
 *
 * A plan runs once for each input and geometry. It says which launches make up the reduction, and
 * what it predicts about them; it launches nothing itself.
 */
#ifndef STEP_H
#define STEP_H

#include "buffer.h"
#include "operator.h"
#include "outside.h"

struct array { // a device array
    cl_mem buffer;
    uint64_t count; // its length
    uint64_t first; // global index of its first element: for parts of a larger array
    bool partials;  // holds values already, not elements
};

struct stage { // one launch
    struct array in, out;
    uint64_t groups;
    size_t group, lanes; // work-items of a group; of its first dimension
    // what the plan predicts
    unsigned barriers;                      // that each group waits at, or UNKNOWN
    uint64_t local_atomics, global_atomics; // in the whole launch
    uint64_t adds;                          // that one accumulator takes, one after the other
    unsigned depth;                         // of the tree over the accumulators
    // the rest is the harness's own
    enum { LAUNCH, FILL, FINISH_ON_HOST, LOOP_ON_HOST, LIBRARY_CALL } kind;
    size_t scratch_bytes; // of one group
    cl_uint dimensions;   // 2: groups of lanes x runs, one below the other
    const struct kernel *kernel;
    const struct outside *outside;
};

enum { UNKNOWN = 9999 };

/* One variant, operator, type, n and geometry. */
struct run {
    const struct device *device;
    const struct operation *operation;
    const struct variant *variant;
    struct array elements, result;
    int width;         // elements that one load brings
    struct plan *plan; // what has been planned so far: plan.h
};

/* ---- words for plans; they give a legal answer even after something was found unsupported */
size_t group_size(struct run *run,
                  size_t wanted); // the largest legal one not above wanted, or --group
uint64_t group_count(struct run *run, uint64_t wanted); // wanted, or --groups
uint64_t busy_groups(struct run *run, uint64_t each,
                     uint64_t per_unit);          // one for each so many elements; or --groups
size_t lane_count(struct run *run, size_t group); // lanes that suit the device and divide group
struct array partials(struct run *run, uint64_t count); // a new array for partial results
struct stage *stage(struct run *run, struct array in, struct array out, uint64_t groups,
                    size_t group);
struct stage *stage_2d(struct run *run, struct array in, struct array out, uint64_t groups,
                       size_t lanes, size_t runs);
size_t sub_group_lanes(const struct run *run, size_t group); // once group_size has been asked
unsigned sub_group_barriers(const struct run *run); // of sub_group_combine in kernels/subgroup.clh
unsigned tree_barriers(const struct run *run, size_t group); // of work_group_combine there
struct array one_launch(struct run *run,
                        uint64_t groups); // result, values of groups, counter: last_group.clh
void fill(struct run *run,
          struct array accumulators); // with the identity, before atomics combine into them
void finish_on_host(struct run *run,
                    struct array values); // read back and combined in order, inside the wall time
void order_is_kept(struct run *run);      // by this geometry: see keeps_order
void on_host(struct run *run, const struct outside *loops); // the loop for this operator and type
void by_library(struct run *run, const struct outside *calls);
void predict_tree(struct stage *stage, unsigned width,
                  unsigned barriers); // each work-item: width accumulators
void predict_one_launch(struct run *run, struct stage *only,
                        unsigned width); // the same, and its atomics
bool unsupported(struct run *run, const char *why, ...)
    __attribute__((format(printf, 2, 3))); // returns false

static inline uint64_t ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

static inline unsigned
ceil_log2(uint64_t n) // how many times n can be halved, rounding up, until 1 is left
{
    unsigned rounds = 0;
    for (; n > 1; n = ceil_div(n, 2))
        rounds++;
    return rounds;
}

/* ---- a step: its number and name, the step it is compared with, its variants, the main one first
 */
enum needs {
    SUB_GROUPS = 1,
    WORK_GROUP_REDUCE = 2,
    ATOMICS = 4,
    ONE_WORD = 8
}; // the last: see last_group.clh

struct variant {
    const char *name, *kernel;
    bool (*plan)(struct run *run); // false: unsupported, the reason is kept
    int width;                     // elements that one load brings; 0 means 1
    int scratch;                   // values in local memory for each work-item; 0 means 1
    enum needs needs;
    enum {
        NEVER,
        ALWAYS,
        SOMETIMES
    } keeps_order;       // SOMETIMES: its plan says when, by order_is_kept
    bool drops_no_nan;   // under min and max: the function it uses is undefined for them
    const char *options; // further build options
    const char *article; // its names in the articles
};

struct step {
    int number;
    const char *name;
    int compared_with;
    struct variant variants[16];
};

/* Returns the exit status: 0 right, 1 wrong result, 2 usage or set-up, 77 not supported here. */
int step_main(int argc, char **argv, const struct step *step);

#include "verify.h" // carrying a plan out, for a program without step_main

#ifdef HOST_LOOP
#include "host_loop.h"
#endif
#endif
