/* cub: NVIDIA's own reduction for its GPUs
 *
 *   cub::DeviceReduce::Sum(scratch, scratch_bytes, in, out, n)      scratch NULL: sets
 * scratch_bytes only
 *
 * Scratch and result are allocated once, as its manual does. The wall time includes the copy of the
 * result to the host, as in a step.
 */
#include "cuda_peer.h"

#include <cmath>
#include <cub/cub.cuh>

struct addition {
    template <typename element>
    static cudaError_t reduce(void *scratch, size_t &bytes, const element *in, element *out,
                              uint64_t n)
    {
        if (n > INT32_MAX) // older versions count in int, so their result is wrong here
            return cub::DeviceReduce::Sum(scratch, bytes, in, out, (int64_t)n);
        return cub::DeviceReduce::Sum(scratch, bytes, in, out, (int)n);
    }
};
struct minimum {
    template <typename element>
    static cudaError_t reduce(void *scratch, size_t &bytes, const element *in, element *out,
                              uint64_t n)
    {
        if (n > INT32_MAX)
            return cub::DeviceReduce::Min(scratch, bytes, in, out, (int64_t)n);
        return cub::DeviceReduce::Min(scratch, bytes, in, out, (int)n);
    }
};

static void *scratch, *result;
static size_t scratch_bytes;

template <typename operation, typename element>
static void prepare_both(cl_command_queue queue, cl_mem elements, uint64_t n, bool changed)
{
    prepare(queue, elements, n, changed);
    if (changed) {
        CUDA(cudaFree(scratch));
        scratch = nullptr;
        CUDA(operation::reduce(nullptr, scratch_bytes, (const element *)nullptr, (element *)nullptr,
                               n));
        CUDA(cudaMalloc(&scratch, scratch_bytes ? scratch_bytes : 1));
    }
    if (!result)
        CUDA(cudaMalloc(&result, sizeof(element)));
}

template <typename operation, typename element>
static double reduce(cl_command_queue, cl_mem, uint64_t n, bool clocked, void *value)
{
    if (clocked)
        clock_start();
    CUDA(operation::reduce(scratch, scratch_bytes, (const element *)copy, (element *)result, n));
    if (clocked)
        clock_end();
    CUDA(cudaMemcpy(value, result, sizeof(element),
                    cudaMemcpyDeviceToHost)); // waits for both events too
    return clocked ? clock_seconds() : NAN;
}

const char peer_name[] = "cub", peer_device[] = "NVIDIA";
const struct outside peer_calls[] = {
    { "sum", "int", nullptr, reduce<addition, int>, prepare_both<addition, int> },
    { "sum", "float", nullptr, reduce<addition, float>, prepare_both<addition, float> },
    { "min", "float", nullptr, reduce<minimum, float>, prepare_both<minimum, float> },
    { nullptr, nullptr, nullptr, nullptr, nullptr },
};
