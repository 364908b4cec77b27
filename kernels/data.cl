/* Kernels that generate the input, check that it is unchanged, and fill local memory.
 *
 *   make            in = x0 x1 … x(n-1) | w w …       data.clh; or only a part of these elements
 *   find_changes    changed = the number of changed elements, and the index of one of them
 *   fill_local      scratch = the same value everywhere
 */
#include "data.clh"

/* Writes `count` of the n elements, from element `first` on, and after them the word w, `guard`
 * times. */
kernel void make(global element *in, ulong count, ulong guard, ulong n, ulong first, uint seed,
                 ulong planted, ulong kind)
{
    ulong i = get_global_id(0);
    if (i < count + guard)
        in[i] = made(i < count ? first + i : n, n, seed, planted, kind);
}

/* changed[0] counts the elements that differ from those that make() wrote. changed[2] and [3] are
 * the index of one such element; the host reads two numbers of 64 bits. */
kernel void find_changes(global const element *in, ulong count, ulong guard, ulong n, ulong first,
                         uint seed, ulong planted, ulong kind, volatile global uint *changed)
{
    ulong i = get_global_id(0);
    if (i >= count + guard)
        return;
    element is = in[i], was = made(i < count ? first + i : n, n, seed, planted, kind);
    bool both_nan = IS_NAN(is) & IS_NAN(was); // here two NaNs count as equal
    if (is != was && !both_nan) {
        atomic_inc(changed);
        ((volatile global ulong *)changed)[1] = i;
    }
}

/* Fills local memory with one value. A kernel that reads local memory before writing it then reads
 * this value. */
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
