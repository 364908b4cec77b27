/* serial: the loop of step 01 once more, as the compiler makes it for this very machine
 *
 * One thread, -O3 -march=native and no promise about the order: sums of integers become vector
 * instructions, those of floats and their minimum do not, because a float's order counts. That is
 * what C promises, and no oversight.
 */
#define HOST_LOOP "../kernels/01_sequential.cl"
#include "step.h"

static bool plan(struct run *run)
{
    on_host(run, host_loops);
    return true;
}

int main(int argc, char **argv)
{
    static const struct step step = {
        0, "serial", 0, { { "serial", "01_sequential.cl", plan, .keeps_order = true } }
    };
    return step_main(argc, argv, &step);
}
