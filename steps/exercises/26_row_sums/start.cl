/* The sum of each row of a matrix. Each row has a group, but one work-item does all the work.
 *
 *   element      0 … 99 | 100 … 199 | 200 … 249        n = 250: the last row is shorter
 *   group          0    |     1     |     2            get_group_id(0), and its place in out
 */
#define COLUMNS 100

kernel void reduce(global const int *in, ulong n, global uint *out, local uint *scratch)
{
    ulong first = get_group_id(0) * COLUMNS, end = min(n, first + COLUMNS);
    // TODO: let all work-items of the group sum the row together.
    if (get_local_id(0) == 0) {
        uint all = 0;
        for (ulong i = first; i < end; i++)
            all += in[i];
        out[get_group_id(0)] = all;
    }
}
