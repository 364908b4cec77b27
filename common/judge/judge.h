/* The judge: the step_main() of ./judgeNN, which is step NN linked with this folder.
 *
 *   step_main                judge.c      its options, and the variants with the learner's kernel
 *     supervise              supervise.c  a process of its own; reports a kernel that never ends
 *       check_matrix         check.c      Oclgrind first, then every size, group size, operation …
 *         verify_problem     examine.c      plan, examine the kernel, verify
 *         explain_mistake    explain.c      the first mistake: what Oclgrind sees, or the evidence
 *     find_races             oclgrind.c   --races: Oclgrind alone, all findings
 */
#pragma once

#include "step.h"
