/* Four wide loads under way in each work-item, and no second launch: the group that comes last finishes.
 *
 *   vector       0 1 | 2 3 | 4 5 | 6 7 | 8 9        n = 10 * WIDTH, one group of two work-items
 *   work-item    0 1 | 0 1 | 0 1 | 0 1 | 0 1
 *   accumulator  a a | b b | c c | d d | a a        no load waits for the one before
 *   out[0]       result; out[1 + g]: group g's value; behind them how many groups have come
 */
kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    ulong vectors = n / WIDTH, items = get_global_size(0), i = get_global_id(0);

    values a = identities(), b = a, c = a, d = a;
    for (; i + 3 * items < vectors; i += 4 * items) {
        a = combine_values(a, load_values(in, i));
        b = combine_values(b, load_values(in, i + items));
        c = combine_values(c, load_values(in, i + 2 * items));
        d = combine_values(d, load_values(in, i + 3 * items));
    }
    for (; i < vectors; i += items)
        a = combine_values(a, load_values(in, i));
    value all = fold(combine_values(combine_values(a, b), combine_values(c, d)));
    for (i = vectors * WIDTH + get_global_id(0); i < n; i += items)
        all = combine(all, load(in, i));

    finish_in_last_group(all, out, scratch);
}
