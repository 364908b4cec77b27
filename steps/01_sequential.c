/* 01 sequential
 * Idea     One loop, one accumulator, one element after the other: what a reduction is.
 * Change   Nothing yet. This is the loop that all others must agree with.
 * Expect   n - 1 combinations, each waiting for the one before. The compiler may use vector
 * instructions for integers, where the order does not matter; for floats it must keep the order.
 * Try      --type float beside --type int; --op min; --n 2^12 --warm, where the data fits into the
 * cache.
 */
#define HOST_LOOP                                                                                  \
    "../kernels/01_sequential.cl" // the loop itself, compiled as C once per operator and type
#include "step.h"

static bool plan(struct run *run)
{
    on_host(run, host_loops);
    return true;
}

int main(int argc, char **argv)
{
    static const struct step step = {
        1,
        "sequential",
        1,
        {
            { "host", "01_sequential.cl", plan, .keeps_order = ALWAYS,
              .article = "PERI: ComputeSerial; CATZ: sequential C" },
        },
    };
    return step_main(argc, argv, &step);
}
