/* The judge: the step_main() of ./judgeNN, which is step NN linked with this folder.
 *
 *   step_main               judge.c         its options, the variants with the learner's kernel
 *     supervise             supervise.c     a process of its own; reports an endless kernel
 *       check_combinations  combinations.c  Oclgrind first, then every size, group, operation …
 *         verify_problem    examine.c         plan, examine the kernel, verify
 *         explain_mistake   explain.c         the first mistake: what Oclgrind sees, or evidence
 *     find_races            oclgrind.c      --races: Oclgrind alone, all findings
 */
#pragma once

#include "step.h"
