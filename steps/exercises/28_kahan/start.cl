/* One work-item adds n floats, one after the other.
 *
 *   element      0.3 0.9 0.1 …
 *   all          0.3 1.2 1.3 …      the larger it is, the more of each element is rounded away
 */
kernel void reduce(global const float *in, ulong n, global float *out)
{
    float all = 0;
    // TODO: keep what each addition rounds away, and add it to the next element (Kahan, 1965).
    for (ulong i = 0; i < n; i++)
        all += in[i];
    out[0] = all;
}
