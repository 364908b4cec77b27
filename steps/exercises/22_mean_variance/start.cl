/* Mean and variance in one pass, from the sum of the elements and the sum of their squares.
 *
 *   element      10^9 + 3, 10^9 + 700 …        squares of 10^18: a double has 16 digits
 *   out          n, mean, M2                   M2: the sum of all (x - mean)^2
 */
struct moments {
    double n, mean, m2;
};

// TODO: a function that merges n, mean and M2 of two parts; use it in the loop and in the tree.
kernel void reduce(global const long *in, ulong n, global struct moments *out,
                   local double *scratch)
{
    double count = 0, sum = 0, squares = 0;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        double x = in[i];
        count += 1;
        sum += x;
        squares += x * x;
    }

    uint id = get_local_id(0), group_size = get_local_size(0);
    local double *of_n = scratch, *of_sum = scratch + group_size;
    local double *of_squares = scratch + 2 * group_size;
    of_n[id] = count;
    of_sum[id] = sum;
    of_squares[id] = squares;
    for (uint active = group_size, upper; active > 1; active = upper) {
        upper = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active / 2) {
            of_n[id] += of_n[id + upper];
            of_sum[id] += of_sum[id + upper];
            of_squares[id] += of_squares[id + upper];
        }
    }

    if (id == 0) {
        count = of_n[0];
        sum = of_sum[0];
        struct moments all = { count, 0, 0 };
        if (count > 0) {
            all.mean = sum / count;
            all.m2 = of_squares[0] - sum * sum / count;
        }
        out[get_group_id(0)] = all;
    }
}
