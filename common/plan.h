/* What a plan is made of, for the files that carry it out. Steps see step.h only. */
#ifndef PLAN_H
#define PLAN_H

#include "back_end.h"
#include "program.h"
#include "step.h"

enum {
    STAGES = 80,
    CANARIES = 64
}; // 2^64 by groups of two is 64 stages; values behind each array that nobody may write

struct geometry { // 0: the plan's own choice
    size_t group;
    uint64_t groups;
    bool force; // whatever the operator may think of the order
    int width;
};

enum asked {
    ASKED_GROUP = 1,
    ASKED_GROUPS = 2,
    ASKED_WIDTH = 4,
    ASKED_LANES = 8,
    ASKED_KERNEL = 16
};

struct plan {
    struct kernels *kernels;
    const char *kernel_file;
    struct back_end back_end;
    struct geometry wanted;
    unsigned asked;   // enum asked: of which options the plan makes use
    char reason[256]; // why it is unsupported; "" if it is not
    bool broken;      // the reason is that its kernel does not compile
    struct stage stages[STAGES];
    int stage_count;
    struct array owned[STAGES]; // partials, and the result first
    int owned_count;
    size_t lanes;
    cl_ulong
        local_bytes; // the most that a stage uses: local memory is poisoned before each checked run
    void *copy;      // where the host finish reads to
    struct array counted; // see one_launch: its last two values, a counter above all, are 0 before
                          // each launch
    bool keeps_order;
    bool changed;        // other elements than in the last call from outside
    const char *atomics; // which the kernel uses: "native", "ptx", "exchange", or "none"
};

/* Runs the variant's plan for run->elements. False: unsupported, and run->plan->reason says why. */
bool plan_make(struct run *run, struct kernels *kernels, const char *kernel_file,
               struct back_end back_end, struct geometry wanted);
void plan_release(struct run *run);
struct stage *add_stage(struct run *run, struct stage stage);
const struct stage *first_launch(const struct plan *plan); // NULL: none of its stages is one

/* Carries out a stage that is no launch. Its wall time, and its span where it is known, go into
 * *times. */
struct times;
void outside_run(const struct run *run, const struct stage *stage, struct times *times,
                 any_value *result);

#endif
