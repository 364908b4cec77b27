/* floor_cuda: a single block that only reads; it is not a reduction. It is launched and timed in
 * the same way as CUB in cub.cu.
 *
 *   thread       0 1 2 … 255 0 1 2 … 255 …     one block reads all elements
 *   sum          computed beforehand, and copied to the host in the same way as CUB's result
 *
 * Each thread issues four loads of 16 bytes before it uses their values, and keeps one word. There
 * is no tree.
 *
 * Compare other programs with floor_cuda at n = 2^12, because there each thread has exactly four
 * loads. At 2^11 a thread has two loads, one after the other, which takes longer. For more than
 * 2^12 elements many blocks read faster than one.
 */
#include "cuda_peer.h"

#include <cmath>
#include <vector>

static uint32_t *out; // the sum; then a word of each thread, so the compiler keeps the reads

static __global__ void read(const uint4 *in, uint32_t vectors, uint32_t *out)
{
    uint32_t id = threadIdx.x, group_size = blockDim.x, i = id, all = 0;
    for (; i + 3 * group_size < vectors; i += 4 * group_size) {
        uint4 w = in[i], x = in[i + group_size], y = in[i + 2 * group_size],
              z = in[i + 3 * group_size];
        all ^= w.x ^ w.y ^ w.z ^ w.w ^ x.x ^ x.y ^ x.z ^ x.w ^ y.x ^ y.y ^ y.z ^ y.w ^ z.x ^ z.y ^
               z.z ^ z.w;
    }
    for (; i < vectors; i += group_size) {
        uint4 w = in[i];
        all ^= w.x ^ w.y ^ w.z ^ w.w;
    }
    out[1 + id] = all;
}

static void prepare_sum(cl_command_queue queue, cl_mem elements, uint64_t n, bool is_new_input)
{
    prepare(queue, elements, n, is_new_input);
    if (!is_new_input)
        return;
    std::vector<uint32_t> x(n);
    uint32_t sum = 0;
    CUDA(cudaMemcpy(x.data(), copy, 4 * n, cudaMemcpyDeviceToHost));
    for (uint32_t each : x)
        sum += each;
    if (!out)
        CUDA(cudaMalloc(&out, (1 + 256) * sizeof sum));
    CUDA(cudaMemcpy(out, &sum, sizeof sum, cudaMemcpyHostToDevice));
}

static double read_all(cl_command_queue, cl_mem, uint64_t n, bool is_timed, void *value)
{
    if (is_timed)
        start_clock();
    read<<<1, 256>>>((const uint4 *)copy, (uint32_t)(n / 4), out);
    if (is_timed)
        stop_clock();
    CUDA(cudaMemcpy(value, out, sizeof *out, cudaMemcpyDeviceToHost)); // also waits for both events
    return is_timed ? read_clock() : NAN;
}

const char peer_name[] = "floor_cuda", peer_device[] = "NVIDIA";
const struct library_call peer_calls[] = {
    { "sum", "int", nullptr, read_all, prepare_sum },
    { nullptr, nullptr, nullptr, nullptr, nullptr },
};
