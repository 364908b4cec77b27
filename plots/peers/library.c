/* A peer whose reduction is a library's: the harness around peer_calls[], which a C++, CUDA or C file of the peer's own
 * name defines. Built once for each, with -D PEER="name" -D CUDA=0 or 1.
 *
 * Data, cold cache, read limit in turn, verification and the data file are the harness's own, so that a peer's rows
 * compare with those of a step. Number 0: no step. What it offers is in its table; all else ends with exit status 77.
 */
#include "step.h"

#include <string.h>

extern const struct outside peer_calls[];

static bool plan(struct run *run)
{
    if (CUDA && !strstr(run->device->name, "NVIDIA"))
        return unsupported(run, "CUDA has NVIDIA's GPUs only");
    by_library(run, peer_calls);
    return true;
}

int main(int argc, char **argv)
{
    // A NaN among its elements is more than most libraries say anything about.
    static const struct step step = { 0, PEER, 0, { { PEER, "of a library", plan, .drops_no_nan = true } } };
    return step_main(argc, argv, &step);
}
