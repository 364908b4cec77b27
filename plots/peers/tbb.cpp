/* tbb: threads from TBB, vectors from the compiler
 *
 *   tbb::parallel_reduce(range, identity, loop over a part, function that combines two parts)
 *
 * The user writes the loop over a part. OpenMP's simd pragma above the loop, with the flag
 * -fopenmp-simd, lets the compiler reorder floats, too. TBB provides only the threads.
 */
#include "outside.h"

#include <cstring>
#include <limits>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

// The loops are functions of their own, because gcc 12 turns the loads into gathers inside a lambda
// that captures x.
template <typename element> static element sum_part(const element *x, size_t n, element all)
{
#pragma omp simd reduction(+ : all)
    for (size_t i = 0; i < n; i++)
        all += x[i];
    return all;
}

static float min_part(const float *x, size_t n, float all)
{
#pragma omp simd reduction(min : all)
    for (size_t i = 0; i < n; i++)
        all = x[i] < all ? x[i] : all;
    return all;
}

template <typename element, typename part, typename both>
static void reduce(const void *elements, uint64_t n, void *value, element identity, part loop,
                   both combine)
{
    typedef tbb::blocked_range<uint64_t> range;
    const element *x = static_cast<const element *>(elements);
    const element result = tbb::parallel_reduce(
        range(0, n), identity,
        [=](const range &r, element all) { return loop(x + r.begin(), r.size(), all); }, combine);
    std::memcpy(value, &result, sizeof result);
}

template <typename element> static void sum(const void *elements, uint64_t n, void *value)
{
    reduce(elements, n, value, element(0), sum_part<element>,
           [](element left, element right) { return left + right; });
}

static void min_float(const void *elements, uint64_t n, void *value)
{
    reduce(elements, n, value, std::numeric_limits<float>::infinity(), min_part,
           [](float left, float right) { return right < left ? right : left; });
}

const char peer_name[] = "tbb", peer_device[] = "";
const struct library_call peer_calls[] = {
    { "sum", "int", sum<uint32_t>, nullptr, nullptr }, // for int too: unsigned sums wrap around
    { "sum", "float", sum<float>, nullptr, nullptr },
    { "min", "float", min_float, nullptr, nullptr },
    { nullptr, nullptr, nullptr, nullptr, nullptr },
};
