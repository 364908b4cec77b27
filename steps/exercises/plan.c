/* The program that judges a learner's plan. It has a main() of its own, so an answer cannot print
 * what exercise.py reads instead of being judged.
 *
 *   build/mine05 = this file + PLAN, which is mine/05.c, + common/
 */
#define main main_of_learner
#include PLAN
#undef main
#include "step.h"

int main(int argc, char **argv)
{
    static const struct step step = { NUMBER, NAME, NUMBER - 1, variants };
    return step_main(argc, argv, &step);
}
