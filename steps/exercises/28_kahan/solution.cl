/* The part that an addition loses is added to the next element (Kahan, 1965).
 *
 *   x            in[i] + lost
 *   both         all + x, rounded
 *   lost         x - (both - all)       the part of x that the addition lost, exactly
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
