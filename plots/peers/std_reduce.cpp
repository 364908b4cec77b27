/* std_reduce: the parallel, unsequenced std::reduce of C++17
 *
 *   std::reduce(std::execution::par_unseq, first, last, init, operator)
 *
 * GNU's library uses the threads of TBB. Its inner loops have OpenMP's simd pragma, which has an
 * effect only with the flag -fopenmp-simd. No OpenMP thread starts.
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
                     std::plus<>()); // for int too: unsigned sums wrap around
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
const struct library_call peer_calls[] = {
    { "sum", "int", sum_int, nullptr, nullptr },
    { "sum", "float", sum_float, nullptr, nullptr },
    { "min", "float", min_float, nullptr, nullptr },
    { nullptr, nullptr, nullptr, nullptr, nullptr },
};
