/* Asks Oclgrind, a simulator that sees every access to memory, about one problem. */
#pragma once

#include "options.h"

/* The environment holds the number of a trial of --races for the process inside Oclgrind. Without a
 * number this process verifies all trials that its command line describes. */
#define TRIAL_VARIABLE "REDUCE_TRIAL"

/* What Oclgrind looks for. A barrier that not all work-items reach and an access outside an array
 * are mistakes for certain. A race or a value that nobody has set is one only if the result is
 * wrong too, because Oclgrind knows less than OpenCL C 2.0 does. */
enum search { SEARCH_CERTAIN, SEARCH_ALL };

enum answer {
    ANSWER_NONE,  // Oclgrind is missing, cannot run this kernel, or needs too long
    ANSWER_RIGHT, // nothing is found, and the result is right
    ANSWER_WRONG, // nothing is found, but the result is wrong
    ANSWER_FINDING
};
struct finding {        // the first one
    char kind[32];      // of cause, as oclgrind.py names it
    char sentence[600]; // what Oclgrind saw, and where; if there is no answer, the reason
};

/* Solves a problem inside Oclgrind, with at most 5000 elements and 2 groups: in groups of each of
 * these sizes (a 0 ends them), or without sizes in the problem's own. */
enum answer ask_oclgrind(const struct request *request, const struct problem *problem,
                         const uint64_t *group_sizes, enum search search, struct finding *finding);

/* The same for a kernel that has not run yet: solves the first problem of the command line with n
 * elements, and looks for what is certain. */
enum answer ask_in_advance(const struct request *request, uint64_t n, const uint64_t *group_sizes,
                           struct finding *finding);

/* Prints a finding as one line, after the text `before`; and its kind as print_kind() does. */
void print_finding(const struct finding *finding, const char *before, const char *mark);
