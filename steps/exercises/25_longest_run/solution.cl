/* A contiguous block for each work-item, and the tree of step 03, which joins neighbouring parts.
 *
 *   element      1 1 0 0 | 0 0 1 0        two work-items of a group
 *   work-item    0 0 0 0 | 1 1 1 1
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
    ulong length = (n + get_global_size(0) - 1) / get_global_size(0);
    ulong first = min(n, get_global_id(0) * length), end = min(n, first + length);
    for (ulong i = first; i < end; i++) {
        struct runs one = { 1, in[i], in[i], 1, 1, 1 };
        mine = join(mine, one);
    }

    uint id = get_local_id(0), group_size = get_local_size(0);
    local struct runs *kept = (local struct runs *)scratch; // one for each work-item
    kept[id] = mine;
    for (uint offset = 1; offset < group_size; offset *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id % (2 * offset) == 0 && id + offset < group_size)
            kept[id] = join(kept[id], kept[id + offset]);
    }

    if (id == 0)
        out[get_group_id(0)] = kept[0];
}
