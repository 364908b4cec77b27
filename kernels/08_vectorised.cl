/* The same block, cut in two halves that are read in the same loop, WIDTH elements at once.
 *
 *   vector       0 1 2 3 | 4 5 6 7        one group's block of eight vectors and a few single elements
 *   accumulator  a a a a | b b b b        a and b do not wait for each other
 *   time         0 1 2 3 | 0 1 2 3        two streams: the memory always has a second request in hand
 */
kernel void reduce(global const input *in, ulong n, global value *out)
{
    ulong vectors = n / WIDTH, groups = get_global_size(0);
    ulong half_block = vectors / groups / 2;
    ulong first = get_global_id(0) * 2 * half_block, middle = first + half_block;

    values a = identities(), b = a;
    for (ulong i = 0; i < half_block; i++) {
        a = combine_values(a, load_values(in, first + i));
        b = combine_values(b, load_values(in, middle + i));
    }
    value all = fold(combine_values(a, b));

    // What the blocks leave over, fewer than 2 * groups + 1 vectors: one by one.
    for (ulong i = groups * 2 * half_block * WIDTH + get_global_id(0); i < n; i += groups)
        all = combine(all, load(in, i));

    out[get_global_id(0)] = all;
}
