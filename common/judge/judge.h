/* The judge runs for --check, --races and --kernel, and it explains a wrong result. The rest of the
 * harness enters it through this one function. */
#pragma once

#include "options.h"

enum judge_task {
    /* Runs work(request) in a process of its own, which a kernel may hang or crash. With --races,
     * runs this program again inside Oclgrind, once for each trial. */
    JUDGE_SUPERVISES,

    /* --check: verifies the chosen variants and operations with many sizes, groups and widths, and
     * prints TAP. In the process that --races starts inside Oclgrind: verifies each problem
     * that its command line describes. */
    JUDGE_CHECKS,

    /* `reduction` is right. If it is a minimum or a maximum, does it lose elements that are not the
     * extreme? */
    JUDGE_VERIFIES_AS_SUM,

    /* `reduction` has just given a wrong result: prints which elements it loses or counts twice,
     * the likely cause, and what to try next. */
    JUDGE_EXPLAINS
};

/* Returns the exit status. */
int judge(enum judge_task task, struct request *request, struct reduction *reduction,
          int (*work)(struct request *request));
