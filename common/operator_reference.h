/* Included by each_operator.h with REFERENCE: the plain loop over made() data, float sums in double. */
#include "../kernels/data.cl"

static double NAME(loop)(const struct data *data, void *to)
{
    value all = identity();
    for (uint64_t i = 0; i < data->n; i++)
        all = combine(all, lift(made(i, data->n, data->seed, data->planted, data->nans, data->uniform), i));
#if defined SUM && defined FLOAT
    *(float *)to = (float)all;
    return all; // a result's error is measured from here: rounding this one is none of the step's
#else
    *(value *)to = all;
    return NAN; // nobody asks: it is equal or wrong
#endif
}
