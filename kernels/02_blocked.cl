/* Each work-item combines one contiguous block by itself, and then performs one atomic.
 *
 *   element      0 1 2 3 4 | 5 6 7 8 9        n = 10, two work-items
 *   work-item    0 0 0 0 0 | 1 1 1 1 1
 *   time         0 1 2 3 4 | 0 1 2 3 4        neighbouring work-items read far apart
 */
#include "operator.clh"
#include "atomics.clh"

kernel void reduce(global const input *in, ulong n, global value *out)
{
    ulong block = (n + get_global_size(0) - 1) / get_global_size(0);
    ulong first = min(n, get_global_id(0) * block), end = min(n, first + block);

    value all = identity();
    for (ulong i = first; i < end; i++)
        all = combine(all, load(in, i));

    combine_global(out, all);
}
