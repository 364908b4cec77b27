/* Included by each_operator.h with REFERENCE: the plain loop over made() data, float sums in
 * double.
 *
 * In parts, one after the other in the data, so that all of the host's cores can help where there
 * are many elements: each part is a plain loop, and they are combined in order, so that what is
 * associative comes out as from one loop.
 */
#include "../kernels/data.cl"

static value NAME(part)(const struct data *data, uint64_t from, uint64_t to)
{
    value all = identity();
    for (uint64_t i = from; i < to; i++)
        all = combine(
            all, lift(made(i, data->n, data->seed, data->planted, data->nans, data->uniform), i));
    return all;
}

static double NAME(loop)(const struct data *data, void *to)
{
    enum { PARTS = 64 };
    value parts[PARTS], all = identity();
#if defined _OPENMP // of gcc: see Makefile
#pragma omp parallel for if (data->n >> 24 != 0)
#endif
    for (unsigned p = 0; p < PARTS; p++)
        parts[p] = NAME(part)(data, data->n * p / PARTS, data->n * (p + 1) / PARTS);
    for (unsigned p = 0; p < PARTS; p++)
        all = combine(all, parts[p]);
#if defined SUM && defined FLOAT
    *(float *)to = (float)all;
    return all; // a result's error is measured from here: rounding this one is none of the step's
#else
    *(value *)to = all;
    return NAN; // nobody asks: it is equal or wrong
#endif
}
