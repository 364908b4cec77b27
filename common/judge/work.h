/* A kernel may never end, or crash. So the process that works notes which problem it plans or runs,
 * and the process that supervises it reads that (supervise.c). And a kernel may print: its output
 * is kept apart from the judge's own. */
#pragma once

#include "options.h"

extern bool prints_tap; // --tap: each test is a line

enum work { AT_REST, PLANNING, RUNNING };

/* Shared by the process that works and the one that supervises it. */
struct progress {
    struct problem problem;
    enum work work;
    unsigned count;         // of changes
    long processor_seconds; // that the work may take; 0: no limit
    bool has_run;           // any kernel of the plan
    bool has_ended;         // the process that works ended by its own decision
};
extern struct progress *progress;

/* Between these two calls, standard output is that of the kernels, and SIGPROF ends the process
 * after the processor time that the work may take. A busy machine makes that no shorter. */
void begin_work(const struct problem *problem, const struct device *device, enum work work);
void end_work(void);

/* From now on only this program itself writes to standard output. What a kernel prints goes to
 * standard error, or nowhere if REDUCE_NO_PRINTF is set, as the exercises do. So it cannot look
 * like a test. */
void redirect_output_of_kernels(void);

/* " at n = 1000, groups of 256" */
void print_place(const struct problem *problem, char text[80]);

/* Is this the path of a file that a learner has named, and not a kernel of the step? */
bool is_of_learner(const char *kernel);

/* The file that is judged, as a path, or NULL: the step's own kernels. */
const char *file_of_learner(const struct request *request);
