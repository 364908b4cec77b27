/* What makes the data of data.clh on the device, and looks after it.
 *
 *   make            in = x0 x1 … x(n-1) | w w …       data.clh
 *   find_changes    changed = how many of them are not that any more, and where one is
 *   fill_local      scratch = one value everywhere
 */
#include "data.clh"

/* n elements and guard more behind them. */
kernel void make(global element *in, ulong n, ulong guard, uint seed, ulong planted, ulong kind)
{
    ulong i = get_global_id(0);
    if (i < n + guard)
        in[i] = made(i, n, seed, planted, kind);
}

/* changed[0]: how many of them are not what make() made; changed[2] and [3]: where one is. */
kernel void find_changes(global const element *in, ulong n, ulong guard, uint seed, ulong planted,
                         ulong kind, volatile global uint *changed)
{
    ulong i = get_global_id(0);
    if (i >= n + guard)
        return;
    element is = in[i], was = made(i, n, seed, planted, kind);
    bool both_nan = IS_NAN(is) & IS_NAN(was); // and so not equal to each other
    if (is != was && !both_nan) {
        atomic_inc(changed);
        ((volatile global ulong *)changed)[1] = i;
    }
}

/* Leaves one value all over local memory: who reads there before it has written finds that. */
kernel void fill_local(local value *scratch, uint count, ulong bits, global value *out)
{
    union {
        ulong bits;
        value v;
    } with = { bits }; // a value has 8 bytes at most
    for (uint i = get_local_id(0); i < count; i += get_local_size(0))
        scratch[i] = with.v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = scratch[count - 1 - get_local_id(0)];
}
