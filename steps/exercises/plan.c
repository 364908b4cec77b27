/* The program that judges a learner's plan. It has a main() of its own, so an answer cannot print
 * what exercise.py reads instead of being judged.
 *
 *   build/mine05 = this file + PLAN, which is mine/05.c, + common/
 */
#if !defined PLAN // the step's own plan
#define PLAN "../05_multi_stage.c"
#define NUMBER 5
#define NAME "multi_stage"
#endif
#define main main_of_learner
#include PLAN
#undef main
#include "step.h"

int main(int argc, char **argv)
{
    static const struct step step = { NUMBER, NAME, NUMBER - 1, variants };
    return step_main(argc, argv, &step);
}
