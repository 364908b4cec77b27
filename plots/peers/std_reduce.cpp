/* std_reduce: what C++17 offers without a further word: std::reduce, in parallel and unsequenced
 *
 *   std::reduce(std::execution::par_unseq, first, last, init, operator)
 *
 * In GNU's library the threads are TBB's. -fopenmp-simd: its inner loops ask for vectors with
 * OpenMP's simd, which does nothing without that flag; no OpenMP thread is started.
 */
#include "outside.h"

#include <cstring>
#include <execution>
#include <functional>
#include <limits>
#include <numeric>

template <typename element, typename operation>
static void reduce(const void *elements, uint64_t n, void *value, element identity,
                   operation combine)
{
    const element *first = static_cast<const element *>(elements);
    const element all = std::reduce(std::execution::par_unseq, first, first + n, identity, combine);
    std::memcpy(value, &all, sizeof all);
}

static void sum_int(const void *elements, uint64_t n, void *value)
{
    reduce<uint32_t>(elements, n, value, 0,
                     std::plus<>()); // a sum of int may wrap around: as unsigned
}

static void sum_float(const void *elements, uint64_t n, void *value)
{
    reduce<float>(elements, n, value, 0, std::plus<>());
}

static void min_float(const void *elements, uint64_t n, void *value)
{
    reduce(elements, n, value, std::numeric_limits<float>::infinity(),
           [](float left, float right) { return right < left ? right : left; });
}

const char peer_name[] = "std_reduce", peer_device[] = "";
const struct outside peer_calls[] = {
    { "sum", "int", sum_int, nullptr, nullptr },
    { "sum", "float", sum_float, nullptr, nullptr },
    { "min", "float", min_float, nullptr, nullptr },
    { nullptr, nullptr, nullptr, nullptr, nullptr },
};
