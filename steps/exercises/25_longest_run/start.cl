/* The longest run of equal neighbours. join() is right, but the kernel is that of step 06.
 *
 *   element      1 1 0 0 | 0 0 1 0        two parts
 *   runs         2   2     2   1 1        before 2, after 2, best 2 | before 2, after 1, best 2
 *   join()       2   4         1 1        the two runs in the middle become one: best 4
 */
struct runs {
    uint n, first, last, before, after, best; // before, after: lengths of the two outer runs
};

/* Part b begins where part a ends. */
struct runs join(struct runs a, struct runs b)
{
    if (a.n == 0)
        return b;
    if (b.n == 0)
        return a;
    bool meet = a.last == b.first;
    struct runs both = { a.n + b.n, a.first, b.last, a.before, b.after, max(a.best, b.best) };
    if (meet) {
        both.best = max(both.best, a.after + b.before);
        if (a.before == a.n)
            both.before += b.before;
        if (b.after == b.n)
            both.after += a.after;
    }
    return both;
}

kernel void reduce(global const int *in, ulong n, global struct runs *out, local uint *scratch)
{
    struct runs mine = { 0, 0, 0, 0, 0, 0 };
    // TODO: another order, from here to the end. join(a, b) is right only if b begins where a ends.
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        struct runs one = { 1, in[i], in[i], 1, 1, 1 };
        mine = join(mine, one);
    }

    uint id = get_local_id(0), group_size = get_local_size(0);
    local struct runs *kept = (local struct runs *)scratch; // one for each work-item
    kept[id] = mine;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active / 2)
            kept[id] = join(kept[id], kept[id + upper]);
    }

    if (id == 0)
        out[get_group_id(0)] = kept[0];
}
