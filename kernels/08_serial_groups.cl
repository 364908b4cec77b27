/* Each group has one work-item, which combines one contiguous block. On a CPU, one core runs it.
 *
 *   element      0 1 2 3 4 | 5 6 7 8 9        n = 10, two groups of one work-item
 *   group        0 0 0 0 0 | 1 1 1 1 1
 *   time         0 1 2 3 4 | 0 1 2 3 4        each core reads forwards: easy to prefetch
 */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out)
{
    ulong block = (n + get_global_size(0) - 1) / get_global_size(0);
    ulong first = min(n, get_global_id(0) * block), end = min(n, first + block);

    value all = identity();
    for (ulong i = first; i < end; i++)
        all = combine(all, load(in, i));

    out[get_global_id(0)] = all;
}
