/* boost_compute: Boost's algorithms on OpenCL, with the harness's device, queue and array
 *
 *   boost::compute::reduce(first, last, &result, function, queue)
 *
 * The library consists of headers. It generates, builds and caches its kernels, and it waits for
 * the result. It returns no event, so the harness cannot measure the span.
 */
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/functional.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>

#include "outside.h"
#include <cmath>
#include <cstring>

namespace compute = boost::compute;

template <typename element, typename operation>
static double reduce(cl_command_queue queue, cl_mem elements, uint64_t n, bool, void *value)
{
    try {
        compute::command_queue command_queue(queue);
        auto first = compute::make_buffer_iterator<element>(compute::buffer(elements), 0);
        element all;
        compute::reduce(first, first + n, &all, operation(), command_queue);
        std::memcpy(value, &all, sizeof all);
    } catch (const compute::opencl_error &error) {
        fail("boost::compute::reduce: %s", error.what());
    }
    return NAN;
}

const char peer_name[] = "boost_compute", peer_device[] = "";
const struct library_call peer_calls[] = {
    { "sum", "int", nullptr, reduce<int, compute::plus<int>>, nullptr },
    { "sum", "float", nullptr, reduce<float, compute::plus<float>>, nullptr },
    { "min", "float", nullptr, reduce<float, compute::min<float>>, nullptr },
    { nullptr, nullptr, nullptr, nullptr, nullptr },
};
