/* 10_plain_loads.cl with each run cut in two halves, walked in the same loop; the group that comes last finishes.
 *
 *   element      0 1 2 3 4 5 6 7 | 8 9 a b c d e f | g h        n = 18, one group of 4 lanes x 2 runs
 *   run          0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1 | 0 0        get_global_id(1)
 *   lane         0 1 2 3 0 1 2 3 | 0 1 2 3 0 1 2 3 | 0 1        get_local_id(0)
 *   accumulator  a a a a b b b b | a a a a b b b b | a a        two streams: neither waits for the other
 */
kernel void reduce(global const input *in, ulong n, global value *out, local value *scratch)
{
    size_t lane = get_local_id(0), lanes = get_local_size(0);
    size_t run = get_global_id(1), runs = get_global_size(1);
    size_t half_run = n / lanes / runs / 2; // in rows of lanes
    size_t first = run * 2 * half_run, middle = first + half_run;

    value a = identity(), b = a;
    for (size_t i = 0; i < half_run; i++) {
        a = combine(a, load(in, (first + i) * lanes + lane));
        b = combine(b, load(in, (middle + i) * lanes + lane));
    }
    for (size_t i = (2 * half_run * runs + run) * lanes + lane; i < n; i += runs * lanes)
        a = combine(a, load(in, i));

    finish_in_last_group(combine(a, b), out, scratch);
}
