/* Each sub-group reads one chunk of rows, as in 10_block_reads.cl on a CPU, but one row at a time.
 * Then each work-item combines its value into the result.
 *
 *   lane         0     1     2     3        each lane has WIDTH accumulators
 *                fold  fold  fold  fold
 *   out             \    \   /    /         one global atomic per work-item, no local memory
 */
#include "operator.clh"
#include "atomics.clh"
#include "subgroup.clh"
#include "vectors.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local value *scratch)
{
    ulong row = WIDTH * lanes(), whole = n / row * row; // whole: elements in whole rows
    ulong chunks = get_global_size(0) / lanes();        // one for each sub-group of the launch
    ulong length = (whole / row + chunks - 1) / chunks * row;
    ulong first = min(whole, get_global_id(0) / lanes() * length), end = min(whole, first + length);

    values many = identities();
    for (ulong i = first; i < end; i += row)
        many = combine_values(many, block_read(in, i));
    value all = fold(many);
    for (ulong i = whole + get_global_id(0); i < n; i += get_global_size(0))
        all = combine(all, load(in, i));

    combine_global(out, all);
}
