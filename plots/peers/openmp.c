/* openmp: what a CPU reaches without OpenCL, as a peer for the steps
 *
 * The loop of step 01 with one line of OpenMP above it: the compiler makes threads and vectors of
 * it. Data, cold cache, read limit in turn, verification and the data file are the harness's own,
 * so its rows compare with those of a step. Number 0: no step. Set OMP_WAIT_POLICY=passive, or its
 * threads spin on and slow the OpenCL kernels that come between.
 */
#define HOST_LOOP "../plots/peers/openmp.cl"
#define HOST_LOOP_IS_PLAIN // its reduction clause has no argmin and no hash
#include "step.h"

static bool plan(struct run *run)
{
    on_host(run, host_loops);
    return true;
}

int main(int argc, char **argv)
{
    static const struct step step = { 0, "openmp", 0, { { "simd", "openmp.cl", plan } } };
    return step_main(argc, argv, &step);
}
