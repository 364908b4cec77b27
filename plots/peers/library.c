/* A peer whose reduction is a library's: the harness around the calls that a C++, CUDA or C file of
 * the peer's own name defines. Linked once with each of them.
 *
 * Data, cold cache, read limit in turn, verification and the data file are the harness's own, so
 * that a peer's rows compare with those of a step. Number 0: no step. What it offers is in its
 * table; all else ends with exit status 77.
 */
#include "step.h"

#include <string.h>

static bool plan(struct run *run)
{
    if (!strstr(run->device->name, peer_device))
        return unsupported(run, "it needs a device of %s", peer_device);
    by_library(run, peer_calls);
    return true;
}

int main(int argc, char **argv)
{
    // A NaN among its elements is more than most libraries say anything about.
    static const struct step step = {
        0, peer_name, 0, { { peer_name, "none", plan, .drops_no_nan = true } }
    };
    return step_main(argc, argv, &step);
}
