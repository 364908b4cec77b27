/* The judge: the step_main() of ./judgeNN, which is step NN linked with this folder.
 *
 *   step_main                 judge.c         its options, the variants with the learner's kernel
 *     supervise               supervise.c     the parent waits, and explains a child that is lost;
 *       with_device           judge.c         the child opens the device:
 *         check_combinations  combinations.c    every size, group, operation …
 *           ask_in_advance    oclgrind.c          first Oclgrind
 *           verify_problem    examine.c           plan, examine the kernel, verify
 *           explain_mistake   explain.c           the first mistake: by Oclgrind, or by evidence
 *     find_races              oclgrind.c      --races: Oclgrind alone, all findings
 *
 * To ask Oclgrind, a process starts oclgrind.py, which starts ./judgeNN --races inside Oclgrind.
 * That judge opens the simulated device and calls verify_inside_oclgrind(). */
#pragma once

#include "step.h"
