/* The loop of kernels/01_sequential.cl, for threads and vectors.
 *
 *   thread 0    0 1 2 3 4           one contiguous block each, its vector lanes side by side;
 *   thread 1              5 6 7 8   then the lanes and the threads are combined
 *
 * The reduction clause wants an operator's own name, which kernels/operator.clh has no word for.
 */
#if defined SUM
#define OPENMP_NAME +
#elif defined MIN
#define OPENMP_NAME min
#elif defined MAX
#define OPENMP_NAME max
#endif

kernel void reduce(global const input *in, ulong n, global value *out)
{
    value all = identity();
#pragma omp parallel for simd schedule(static) reduction(OPENMP_NAME : all)
    for (ulong i = 0; i < n; i++)
        all = combine(all, load(in, i));

    out[0] = all;
}
#undef OPENMP_NAME
