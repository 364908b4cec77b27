/* cub: NVIDIA's own reduction for its GPUs
 *
 *   cub::DeviceReduce::Sum(scratch, scratch_bytes, in, out, n)
 *
 * If scratch is NULL, the call only sets scratch_bytes.
 *
 * Scratch memory and result are allocated once, as in the manual of CUB. The wall time includes the
 * copy of the result to the host, as in a step.
 */
#include "cuda_peer.h"

#include <cmath>
#include <cub/cub.cuh>

struct addition {
    template <typename element>
    static cudaError_t reduce(void *scratch, size_t &bytes, const element *in, element *out,
                              uint64_t n)
    {
        if (n > INT32_MAX) // older versions count in int, so their result would be wrong
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
static void prepare_cub(cl_command_queue queue, cl_mem elements, uint64_t n, bool is_new_input)
{
    prepare(queue, elements, n, is_new_input);
    if (is_new_input) {
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
static double reduce(cl_command_queue, cl_mem, uint64_t n, bool is_timed, void *value)
{
    if (is_timed)
        start_clock();
    CUDA(operation::reduce(scratch, scratch_bytes, (const element *)copy, (element *)result, n));
    if (is_timed)
        stop_clock();
    CUDA(cudaMemcpy(value, result, sizeof(element),
                    cudaMemcpyDeviceToHost)); // also waits for both events
    return is_timed ? read_clock() : NAN;
}

const char peer_name[] = "cub", peer_device[] = "NVIDIA";
const struct library_call peer_calls[] = {
    { "sum", "int", nullptr, reduce<addition, int>, prepare_cub<addition, int> },
    { "sum", "float", nullptr, reduce<addition, float>, prepare_cub<addition, float> },
    { "min", "float", nullptr, reduce<minimum, float>, prepare_cub<minimum, float> },
    { nullptr, nullptr, nullptr, nullptr, nullptr },
};
