/* One work-item adds n floats, one after the other.
 *
 *   element      0.3 0.9 0.1 …
 *   all          0.3 1.2 1.3 …      the larger it is, the more bits of each element are lost
 */
kernel void reduce(global const float *in, ulong n, global float *out)
{
    float all = 0;
    // TODO: keep the part of x that an addition loses, and add it to the next element (Kahan).
    for (ulong i = 0; i < n; i++)
        all += in[i];
    out[0] = all;
}
