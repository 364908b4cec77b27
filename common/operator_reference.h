/* Included by each_operator.h with REFERENCE: the plain loop over made() data, float sums in double. */
#include "../kernels/data.cl"

static void NAME(loop)(const struct data *data, void *to)
{
    value all = identity();
    for (uint64_t i = 0; i < data->n; i++)
        all = combine(all, lift(made(i, data->n, data->seed, data->planted, data->nans), i));
#if defined SUM && defined FLOAT
    *(float *)to = (float)all;
#else
    *(value *)to = all;
#endif
}
