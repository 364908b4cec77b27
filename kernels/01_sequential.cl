/* The loop that all others must agree with.
 *
 *   element    0 1 2 3 4 5 6 7 8 9        n = 10
 *   time       0 1 2 3 4 5 6 7 8 9 ->     one element after the other
 *
 * Valid C: steps/01_sequential.c compiles this text for the host, where kernel and global mean nothing.
 */
#include "operator.clh"

kernel void reduce(global const input *in, ulong n, global value *out)
{
    value all = identity();
    for (ulong i = 0; i < n; i++)
        all = combine(all, load(in, i));

    out[0] = all;
}
