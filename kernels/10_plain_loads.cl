/* Reads in the order of 10_block_reads.cl, but without sub-groups. A group has two dimensions,
 * lanes x chunks: the lanes with the same get_local_id(1) read one chunk.
 *
 *   element      0 1 2 3 4 5 6 7 | 8 9 a b c d e f | g h    n = 18, one group of 4 lanes x 2 chunks
 *   chunk        0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1 | 0 0    get_global_id(1)
 *   lane         0 1 2 3 0 1 2 3 | 0 1 2 3 0 1 2 3 | 0 1    get_local_id(0)
 */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    size_t lane = get_local_id(0), lanes = get_local_size(0);
    size_t chunk = get_global_id(1), chunks = get_global_size(1);
    size_t rows = n / lanes; // a row of the array has one element per lane
    size_t length = (rows + chunks - 1) / chunks;
    size_t first = min(rows, chunk * length), end = min(rows, first + length);

    value all = identity();
    for (size_t i = first; i < end; i++)
        all = combine(all, load(in, i * lanes + lane));
    for (size_t i = (rows + chunk) * lanes + lane; i < n; i += chunks * lanes)
        all = combine(all, load(in, i));

    uint id = get_local_id(1) * lanes + lane, group_size = lanes * get_local_size(1);
    scratch[id] = all;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;     // start of the upper half; one value waits if active is odd
        barrier(CLK_LOCAL_MEM_FENCE); // the values of the previous round are visible
        if (id < active / 2)
            scratch[id] = combine(scratch[id], scratch[id + upper]);
    }

    if (id == 0)
        out[get_group_id(1)] = scratch[0];
}
