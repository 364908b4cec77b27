/* Each sub-group reads one chunk of rows, as in 10_block_reads.cl on a CPU, but one row at a time.
 * Then a tree combines vectors, with one atomic per group.
 *
 *   lane         0     1     2     3        each lane has WIDTH accumulators
 *   scratch      aabb  ccdd  eeff  gghh     vectors in local memory, WIDTH values per work-item
 *                 \-----/     \-----/       combine_values combines each component
 *                     \---------/
 *   out               fold                  combines the components of the last vector
 */
#include "operator.clh"
#include "atomics.clh"
#include "subgroup.clh"
#include "vectors.clh"

kernel SUB_GROUP_SIZE void reduce(global const input *in, ulong n, global value *out,
                                  local values *scratch)
{
    ulong row = WIDTH * lanes(), whole = n / row * row; // whole: elements in whole rows
    ulong chunks = get_global_size(0) / lanes();        // one for each sub-group of the launch
    ulong length = (whole / row + chunks - 1) / chunks * row;
    ulong first = min(whole, get_global_id(0) / lanes() * length), end = min(whole, first + length);

    values many = identities();
    for (ulong i = first; i < end; i += row)
        many = combine_values(many, block_read(in, i));
    value rest = identity();
    for (ulong i = whole + get_global_id(0); i < n; i += get_global_size(0))
        rest = combine(rest, load(in, i));

    uint id = get_local_id(0), group_size = get_local_size(0);
    scratch[id] = with_first(many, rest);
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;     // start of the upper half; one value waits if active is odd
        barrier(CLK_LOCAL_MEM_FENCE); // the values of the previous round are visible
        if (id < active / 2)
            scratch[id] = combine_values(scratch[id], scratch[id + upper]);
    }
    if (id == 0)
        combine_global(out, fold(scratch[0]));
}
