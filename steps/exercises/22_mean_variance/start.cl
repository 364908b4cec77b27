/* Mean and variance in one pass, as the schoolbook has it: by the sum and the sum of the squares.
 *
 *   element      10^9 + 3, 10^9 + 700 …        a sum of squares of 10^18: 16 digits do not hold it
 *   out          n, mean, M2                   M2: the sum of all (x - mean)^2
 */
struct moments {
    double n, mean, m2;
};

// TODO: n, mean and M2 of two parts together; and begin with those of single elements.
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

    uint id = get_local_id(0), group = get_local_size(0);
    local double *of_n = scratch, *of_sum = scratch + group, *of_squares = scratch + 2 * group;
    of_n[id] = count;
    of_sum[id] = sum;
    of_squares[id] = squares;
    for (uint width = group, upper; width > 1; width = upper) {
        upper = (width + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < width / 2) {
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
