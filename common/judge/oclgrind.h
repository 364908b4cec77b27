/* Asks Oclgrind, a simulator that sees every access to memory. */
#pragma once

#include "options.h"

enum answer {
    ANSWER_NONE,        // Oclgrind is missing, fails, or needs too long
    ANSWER_SETUP,       // the program ended with STATUS_SETUP
    ANSWER_IGNORED,     // an option that was given has no effect
    ANSWER_UNSUPPORTED, // the problem cannot be planned
    ANSWER_TOO_LONG,    // a kernel has no result in time; to ask_oclgrind() that is ANSWER_NONE
    ANSWER_RIGHT,       // nothing is found, and the result is right
    ANSWER_WRONG,       // nothing is found, but the result is wrong
    ANSWER_POCL_LOOP,   // the result is right, but pocl 3.1 compiles the kernel wrongly
    ANSWER_FINDING
};
struct finding {
    char name[32];       // of the cause, as oclgrind.py names it
    char sentence[1000]; // what Oclgrind saw, and where; otherwise about the answer
};

/* Solves a problem that gave a wrong result, or none, again inside Oclgrind, with at most about
 * 5000 elements, and at most 2 groups if the problem names their number. Returns ANSWER_FINDING and
 * the most important finding; ANSWER_POCL_LOOP, ANSWER_RIGHT or ANSWER_WRONG and a sentence; or
 * ANSWER_NONE and the reason. */
enum answer ask_oclgrind(const struct request *request, const struct problem *problem,
                         struct finding *finding);

/* The same for a kernel that has not run yet: solves the first problem of the command line with n
 * elements, in groups of each of these sizes (a 0 ends them), and looks only for mistakes that
 * count even if the result is right: a barrier that not all work-items reach, an access outside an
 * array, and most races. */
enum answer ask_in_advance(const struct request *request, uint64_t n, const uint64_t *group_sizes,
                           struct finding *finding);

/* Prints a finding as one line, after the text `before`; and its name as print_cause_name()
 * does. */
void print_finding(const struct finding *finding, const char *before, const char *mark);

/* --races: asks about each variant with several n, group sizes and widths, and prints all findings.
 * Inside Oclgrind, calls task(request). Returns STATUS_RIGHT if nothing was found, STATUS_WRONG if
 * there are findings, STATUS_UNSUPPORTED if Oclgrind is missing or can run none of the trials. */
int find_races(struct request *request, int (*task)(struct request *request));

/* In the process inside Oclgrind: verifies each problem that its command line describes. */
int verify_inside_oclgrind(struct request *request);
