/* A group for each row. The loop has the stride of the group; then comes the tree.
 *
 *   element      0 1 2 3 | 4 5 6 7 | 8 9        a row of ten, a group of four
 *   work-item    0 1 2 3 | 0 1 2 3 | 0 1
 */
#define COLUMNS 100

kernel void reduce(global const int *in, ulong n, global uint *out, local uint *scratch)
{
    uint id = get_local_id(0), group_size = get_local_size(0);
    ulong first = get_group_id(0) * COLUMNS, end = min(n, first + COLUMNS);
    uint all = 0;
    for (ulong i = first + id; i < end; i += group_size)
        all += in[i];

    scratch[id] = all;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active / 2)
            scratch[id] += scratch[id + upper];
    }

    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}
