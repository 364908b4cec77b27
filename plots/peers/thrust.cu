/* thrust: the reduction that most CUDA programs use
 *
 *   thrust::reduce(thrust::device, first, last, identity, operator)
 *
 * thrust::reduce calls CUB, but it allocates scratch memory in each call. It returns the value to
 * the host, so each call waits for the kernel.
 */
#include "cuda_peer.h"

#include <cmath>
#include <cstring>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/system_error.h>

template <typename element, typename operation>
static double reduce(uint64_t n, void *value, element identity, operation combine)
{
    const element *first = (const element *)copy;
    try {
        const element all = thrust::reduce(thrust::device, first, first + n, identity, combine);
        memcpy(value, &all, sizeof all);
    } catch (const thrust::system_error &error) {
        fail("thrust::reduce: %s", error.what());
    }
    return NAN;
}

template <typename element>
static double sum(cl_command_queue, cl_mem, uint64_t n, bool, void *value)
{
    return reduce(n, value, element(0), thrust::plus<element>());
}

static double min_float(cl_command_queue, cl_mem, uint64_t n, bool, void *value)
{
    return reduce(n, value, INFINITY, thrust::minimum<float>());
}

const char peer_name[] = "thrust", peer_device[] = "NVIDIA";
const struct library_call peer_calls[] = {
    { "sum", "int", nullptr, sum<int>, prepare },
    { "sum", "float", nullptr, sum<float>, prepare },
    { "min", "float", nullptr, min_float, prepare },
    { nullptr, nullptr, nullptr, nullptr, nullptr },
};
