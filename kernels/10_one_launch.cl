/* The map of 10_plain_loads.cl in wide loads, each run cut in two halves; the group that comes last finishes.
 *
 *   vector       0 1 2 3 4 5 6 7 | 8 9 a b c d e f        one group of 4 lanes x 2 runs; then the last few elements
 *   run          0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1        get_global_id(1)
 *   lane         0 1 2 3 0 1 2 3 | 0 1 2 3 0 1 2 3        get_local_id(0)
 *   accumulator  a a a a b b b b | a a a a b b b b        both halves in one loop: neither waits for the other
 *   out[0]       the result; out[1 + g]: group g's value; behind them: how many groups have come
 */
kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    size_t lane = get_local_id(0), lanes = get_local_size(0);
    size_t run = get_global_id(1), runs = get_global_size(1);
    size_t half_run = n / WIDTH / lanes / runs / 2; // in rows of lanes
    size_t first = run * 2 * half_run, middle = first + half_run;

    values a = identities(), b = a;
    for (size_t i = 0; i < half_run; i++) {
        a = combine_values(a, load_values(in, (first + i) * lanes + lane));
        b = combine_values(b, load_values(in, (middle + i) * lanes + lane));
    }
    value all = fold(combine_values(a, b));
    for (size_t i = (2 * half_run * runs * WIDTH + run) * lanes + lane; i < n; i += runs * lanes)
        all = combine(all, load(in, i));

    finish_in_last_group(all, out, scratch);
}
