/* What an addition rounds away is kept, and goes into the next one (Kahan, 1965).
 *
 *   x            in[i] + lost
 *   both         all + x, rounded
 *   lost         x - (both - all)       what of x has not arrived: exact
 */
kernel void reduce(global const float *in, ulong n, global float *out)
{
    float all = 0, lost = 0;
    for (ulong i = 0; i < n; i++) {
        float x = in[i] + lost, both = all + x;
        lost = x - (both - all);
        all = both;
    }
    out[0] = all;
}
