/* The accumulator is (n, mean, M2). One function merges two of them, in the loop and in the tree.
 *
 *   element      a | b | c | d            each is (1, x, 0)
 *   merge          ab  |  cd              the new mean lies between the two means; M2 grows by
 *   merge              abcd               the square of their distance, times na nb / n
 */
struct moments {
    double n, mean, m2;
};

struct moments merge(struct moments a, struct moments b)
{
    double n = a.n + b.n, apart = b.mean - a.mean;
    struct moments both = a;
    if (b.n > 0) { // otherwise n may be 0
        both.n = n;
        both.mean = a.mean + apart * b.n / n;
        both.m2 = a.m2 + b.m2 + apart * apart * a.n * b.n / n;
    }
    return both;
}

kernel void reduce(global const long *in, ulong n, global struct moments *out,
                   local double *scratch)
{
    struct moments mine = { 0, 0, 0 };
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        struct moments one = { 1, in[i], 0 };
        mine = merge(mine, one);
    }

    uint id = get_local_id(0), group_size = get_local_size(0);
    local struct moments *kept = (local struct moments *)scratch; // one for each work-item
    kept[id] = mine;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active / 2)
            kept[id] = merge(kept[id], kept[id + upper]);
    }

    if (id == 0)
        out[get_group_id(0)] = kept[0];
}
