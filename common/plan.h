/* A plan: the launches that make up one reduction, in order, and what is predicted about them.
 *
 *   plan(run) --the words below--> run->stages --reduce_once--> a value, verified, timed
 *
 * A plan is made for each input and geometry, and launches nothing itself. A word that finds
 * something unsupported notes the reason and gives a legal answer: so a plan reads straight down.
 */
#pragma once

#include "back_end.h"
#include "buffer.h"
#include "program.h"

// 2^64 by groups of two is 64 stages. Canaries are values behind each array that nobody may write.
// A counter of groups has the size of two values: see kernels/last_group.clh.
enum { STAGES = 64, CANARIES = 64, COUNTER = 2, UNKNOWN = 9999 };

struct array { // on the device
    cl_mem buffer;
    uint64_t count;
    bool partials; // holds values already, not elements
};

struct run;
struct times;

struct stage { // one launch
    struct array in, out;
    uint64_t groups;
    size_t group; // work-items of a group
    // what the plan predicts
    unsigned barriers;                      // that each group waits at, or UNKNOWN
    uint64_t local_atomics, global_atomics; // in the whole launch
    uint64_t adds;                          // that one accumulator takes, one after the other
    unsigned depth;                         // of the tree over the accumulators
    // the rest is the harness's own
    const char *what;            // for people
    const struct kernel *kernel; // NULL: no launch of a kernel
    /* Carries it out on the host. Without it and without a kernel it is a fill of `out` with the
     * identity. Puts the wall time since `start`, or its own, and a span if it has one, into
     * *times. */
    void (*on_host)(const struct run *run, const struct stage *stage, double start,
                    struct times *times, any_value *result);
    void (*combine)(const void *values, uint64_t count, void *result); // for on_host to call
};

// LANES_X_RUNS: no sub-groups; groups are tables, of as many lanes as --subgroups says, x runs.
enum needs { SUB_GROUPS = 1, LANES_X_RUNS = 2, WORK_GROUP_REDUCE = 4, ATOMICS = 8, ONE_WORD = 16 };

struct variant {
    const char *name, *kernel;
    bool (*plan)(struct run *run); // false: unsupported, the reason is kept
    enum needs needs;
    enum { NEVER, ALWAYS, IN_ONE_LANE } keeps_order; // IN_ONE_LANE: with one lane and a width of 1
    bool drops_no_nan;   // under min and max: the function it uses is undefined for them
    const char *options; // further build options
    const char *article; // its names in the articles
};

struct geometry { // 0: the plan's own choice
    size_t group;
    uint64_t groups;
    bool force; // --force: in any order, whatever the operator may think of that
    int width;
};

/* What is reduced by what. */
struct trial {
    const struct variant *variant;
    const struct operation *operation;
    struct geometry geometry;
    uint64_t n;
};

// Of which options a plan makes use.
enum { ASKED_GROUP = 1, ASKED_GROUPS = 2, ASKED_WIDTH = 4, ASKED_LANES = 8, ASKED_KERNEL = 16 };
enum { PLANS = 31 }; // all of these

struct run { // one reduction: a variant, operator, type, n and geometry, and what is planned for it
    const struct device *device;
    const struct operation *operation;
    const struct variant *variant;
    struct array elements;
    const char *other_kernel; // a file in place of the variant's own; NULL: that one
    struct back_end back_end;
    struct geometry given; // by the command line, or a program
    struct data data;      // what the elements are, and what must come out: see input.h
    any_value expected;
    double exact; // a sum of uniform floats, before it was rounded to one
    // the rest is what has been planned so far
    struct array result; // one value; of one_launch() several, and a counter ends them
    bool any_order;      // the operator is commutative, or so it shall be taken
    int width;           // elements that one load brings: 1 until load_width() is asked
    unsigned asked;      // ASKED_GROUP and so on
    char reason[400];    // why it is unsupported, or what is wrong; "" if it is neither
    bool broken;         // unsupported, because its kernel does not compile
    struct stage stages[STAGES];
    struct array owned[STAGES]; // the first result, then partial results
    int stage_count, owned_count;
    size_t lanes, scratch; // of a sub-group or a run; values of local memory for each work-item
    const char *atomics;   // which the kernel uses: "native", "ptx", "exchange", or "none"
    double wall;           // seconds of the last reduction that was looked at: see verify.h
};

/* ---- words for plans: more are in stages.h. The width and the values of local memory come before
 * the group's size, which depends on them. */
int load_width(struct run *run, int usual);            // usual, or --width
void scratch_values(struct run *run, size_t count);    // local memory for each work-item; else 1
size_t group_size(struct run *run, size_t usual);      // or the largest legal one below; --group
uint64_t group_count(struct run *run, uint64_t usual); // usual, or --groups
/* So many that each has elements_each, at most per_unit for each compute unit; or --groups. */
uint64_t busy_groups(struct run *run, uint64_t elements_each, uint64_t per_unit);
struct array partials(struct run *run, uint64_t count); // a new array for partial results
struct stage *stage(struct run *run, struct array in, struct array out, uint64_t groups,
                    size_t group);
bool unsupported(struct run *run, const char *why, ...) // returns false
    __attribute__((format(printf, 2, 3)));

static inline unsigned ceil_log2(uint64_t n)
{
    unsigned rounds = 0; // so often n can be halved, rounding up, until 1 is left
    for (; n > 1; n = ceil_div(n, 2))
        rounds++;
    return rounds;
}

static inline bool has_counter(const struct run *run) { return run->result.count > 1; }

/* ---- for the harness. Runs the variant's plan for run->elements. False: unsupported, run->reason
 * says why. plan_release it either way. */
bool plan_make(struct run *run);
void plan_release(const struct run *run);
bool wrong(struct run *run, const char *what, ...) // adds to the reason; returns false
    __attribute__((format(printf, 2, 3)));
struct stage *add_stage(struct run *run, struct stage stage);
const struct stage *first_launch(const struct run *run); // where there is none: of no groups
