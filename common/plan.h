/* A reduction: what is reduced (struct problem), and the plan for it (struct reduction).
 *
 *   problem --plan_reduction()--> reduction, with its stages --run_once()--> a value
 *                  |
 *                  |-- builds the kernel, so that the largest group size is known
 *                  `-- calls the variant's own plan() and predict(), in steps/
 *
 * A plan launches nothing. It chooses the geometry, allocates arrays for partial results, and lists
 * the stages that run_once() carries out in order. If plan() asks for something that the device
 * cannot do, the first reason is kept and plan() goes on: so most plans read straight down. */
#pragma once

#include "back_end.h"
#include "kernel.h"
#include "operation.h"

enum {
    STAGES_MAX = 64,   // 2^64 elements in groups of two take 64 stages
    COUNTER_VALUES = 2 // a counter of groups has the size of two values: see add_counter()
};

struct reduction;
struct stage;

/* ---- what is reduced, and how */

enum needs { // of a kernel
    NEEDS_SUB_GROUPS = 1,
    NEEDS_TWO_DIMENSIONS = 2, // no sub-groups, but groups of lanes x chunks
    NEEDS_WORK_GROUP_REDUCE = 4,
    NEEDS_ATOMICS = 8,
    NEEDS_ONE_WORD = 16 // value and arrival of a group fit into one atomic word
};

enum order {       // in which a kernel combines the elements
    ORDER_CHANGES, // the default: so the operator must be commutative
    ORDER_IS_KEPT,
    ORDER_IS_KEPT_BY_ONE_LANE // if width and lanes are 1; otherwise it changes
};

struct variant {
    const char *name;
    const char *kernel; // a file of kernels/, or a path that begins with / or .; NULL: a host loop
    void (*plan)(struct reduction *reduction);
    void (*predict)(const struct reduction *reduction, struct stage *stage); // see struct stage
    unsigned needs;                                                          // enum needs
    enum order order;
    int width;               // elements per load unless --width is given; 0: the kernel has none
    int batch;               // rows of a batch on a GPU: -D BATCH; 0: the kernel has no batches
    size_t scratch_values;   // local memory for each work-item, in values; 0: one
    bool scratch_is_vectors; // `width` values for each work-item instead
    bool nan_is_undefined;   // by the function that the kernel calls for min and max
    struct {
        const char *name;
        int value;
    } constant;          // a number that predict() and the kernel share, such as { "KEPT", KEPT }
    const char *options; // further build options
    const char *article; // its names in the articles, abbreviated as in plots/published/README.md
};

struct geometry { // 0: the plan chooses
    size_t group_size;
    uint64_t groups;
    int width;
};

struct problem {
    const struct variant *variant;
    const struct operation *operation;
    uint64_t n; // elements
    struct geometry geometry;
    const char *sub_groups; // as in --subgroups; NULL: the best back end of the device
    bool force;             // --force: change the order although the operator is not commutative
};

/* ---- the plan for it */

struct array { // on the device
    cl_mem buffer;
    uint64_t count;
    bool has_values; // it holds partial results, not elements
};

struct times;

/* Carries out a stage on the host. `start` is the time at which the reduction began; the function
 * sets times->wall, and the other times if the stage has a clock of its own. */
typedef void host_stage(const struct reduction *reduction, const struct stage *stage,
                        cl_command_queue queue, double start, struct times *times,
                        any_value *result);

enum stage_action { STAGE_LAUNCH, STAGE_FILL, STAGE_ON_HOST };

struct stage {
    enum stage_action action;
    const char *name; // for the table
    struct array in, out;
    uint64_t groups;
    size_t group_size;
    const struct kernel *kernel;                                       // of a launch
    size_t scratch_bytes;                                              // local memory of a group
    host_stage *on_host;                                               // of a stage on the host
    void (*combine)(const void *values, uint64_t count, void *result); // for on_host to call

    /* What it will cost, as the variant's predict() says. */
    uint64_t chain_length; // serial additions of one accumulator
    unsigned tree_depth;   // of the tree that then combines the accumulators
    unsigned barriers;     // that each group waits at
    bool barriers_unknown; // the kernel calls a function of the runtime, which has its own
    uint64_t local_atomics, global_atomics; // in the whole launch
};

enum plan_state {
    PLAN_READY,
    PLAN_UNSUPPORTED,   // here; or the kernel cannot be used, as kernel->why says
    PLAN_IGNORES_OPTION // an option that was given has no effect, so it is a mistake
};

struct input { // since make_data() wrote the elements
    struct data data;
    any_value expected; // what must be the result
};

enum mistake { // of a result
    MISTAKE_NONE,
    MISTAKE_VALUE,
    MISTAKE_KEEPS_MEMORY, // it depends on values that an earlier run left
    MISTAKE_WRITES_INPUT,
    MISTAKE_WRITES_BEYOND_OUTPUT,
    MISTAKE_COUNTER_NOT_RESET
};

struct verdict { // on the last run
    enum mistake mistake;
    any_value result; // that the host fetched
    any_value poison; // the value that filled the arrays and their guards before the run
    double wall;      // seconds; verify_inputs() sets it to that of its shortest run
    char reason[400]; // how the result is wrong
};

struct reduction {
    struct device *device;
    struct problem problem;

    enum plan_state state;
    struct array elements;
    struct array result; // one value; more if the groups of one launch meet there
    bool has_counter;    // of groups, at the end of result
    struct stage stages[STAGES_MAX];
    int stage_count;
    struct array arrays[STAGES_MAX]; // all arrays of values
    int array_count;
    int first_launch;               // an index of stages; the last one if there is no launch
    const struct kernel *kernel;    // for the elements; NULL: a loop on the host
    size_t item_scratch_bytes;      // local memory for each work-item
    size_t largest_group;           // that every kernel built so far allows
    struct back_end back_end;       // of sub-groups, if the kernel needs one
    struct atomics atomics;         // that the kernel uses, if any
    bool uses_work_group_functions; // the kernel, although its variant needs none
    int width;                      // elements per load
    int batch;                      // rows of a batch; 0: all rows of a sub-group
    size_t lanes;                   // of a sub-group, or those that read one chunk
    size_t chosen_group_size;       // by choose_group_size(), so that options may change it; or 0
    bool chose_groups;              // the plan asked for the number of groups, too
    char build_options[300];        // of the kernel that was built last

    char reason[400]; // why the plan cannot be carried out

    struct input input;
    struct verdict verdict;
};

/* ---- a step, as its file hands it to step_main() */
struct step {
    int number;
    const char *name;
    int compared_with;                 // the step that it adds one idea to
    const struct variant *variants;    // the main one first; one without a name ends the list
    const struct operation *operation; // the only one of this step; NULL: all of the ladder
};

/* ---- functions for plans */

/* --group, otherwise the largest legal size up to `usual`. */
size_t choose_group_size(struct reduction *reduction, size_t usual);

/* --groups, otherwise `usual`. */
uint64_t choose_groups(struct reduction *reduction, uint64_t usual);

/* --groups, otherwise so many that each group has `elements_each` elements, but at most `per_unit`
 * groups for each compute unit, and at least one. */
uint64_t choose_busy_groups(struct reduction *reduction, uint64_t elements_each, uint64_t per_unit);

/* A new array of values on the device, for partial results. */
struct array add_array(struct reduction *reduction, uint64_t count);

/* Makes room for the groups of one launch to meet: reduction->result holds the result, then
 * `group_values` values, then a counter of groups that begins at 0. See
 * kernels/beyond/last_group.clh. */
void add_counter(struct reduction *reduction, uint64_t group_values);

/* One launch: `groups` groups reduce `in` to the values of `out`. */
struct stage *add_stage(struct reduction *reduction, struct array in, struct array out,
                        uint64_t groups, size_t group_size);

/* Fills an array with the identity, for kernels that combine into it by atomics. */
void add_fill(struct reduction *reduction, struct array array);

/* Notes the first reason why this reduction cannot be done here. */
void unsupported(struct reduction *reduction, const char *reason, ...)
    __attribute__((format(printf, 2, 3)));

uint64_t ceil_div(uint64_t a, uint64_t b);
unsigned ceil_log2(uint64_t n); // rounds of a tree over n values

/* Predicts chain_length and tree_depth of a launch in which each work-item has so many
 * accumulators, and all accumulators of a group are combined by a tree. */
void predict_tree(struct stage *stage, unsigned accumulators);

/* Barriers of sub_group_combine() and work_group_combine(), by the texts of kernels/subgroups/; or
 * of a tree in local memory, for a kernel without sub-groups. */
unsigned sub_group_barriers(const struct reduction *reduction);
unsigned work_group_barriers(const struct reduction *reduction, size_t group_size);

/* ---- for the harness */

/* Releases what was planned before (all zeros at first), and plans the problem. False:
 * reduction->state and reason say why it cannot be done. */
bool plan_reduction(struct reduction *reduction, struct device *device,
                    const struct problem *problem);
void release_reduction(struct reduction *reduction);

/* Appends any stage. Fails if there are too many. */
struct stage *append_stage(struct reduction *reduction, struct stage stage);

/* Adds to the verdict's reason what is wrong. Returns false. */
bool note_mistake(struct reduction *reduction, enum mistake mistake, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
