/* Sums, minima and maxima of arrays in the memory of an OpenCL device.
 *
 *   reducer_create(queue)  ->  reduce_sum_float(reducer, buffer, first, n, &sum), …  ->  release
 *
 * reduce.h and reduce.c are all that a project needs, besides OpenCL 1.2.
 */
/* MIT License
 *
 * Copyright (c) the parallel reductions authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all
 * copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */
#ifndef REDUCE_H
#define REDUCE_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct reducer reducer;

/* Every function below returns CL_SUCCESS, the error of an OpenCL function, or one of these: */
enum {
    REDUCE_PAST_END = 1,  /* the buffer does not have the elements first to first + n - 1 */
    REDUCE_NO_DOUBLE = 2, /* the device has no double */
    REDUCE_ABORTED = 3    /* the device said that the kernel had ended, but it wrote no result */
};

/* Makes a reducer for the context and the device of this queue, in which all its commands will run.
 * It keeps a reference to the queue until it is released. After an error *created is NULL. A queue
 * that may reorder its commands is refused with CL_INVALID_QUEUE_PROPERTIES. */
cl_int reducer_create(cl_command_queue queue, reducer **created);
void reducer_release(reducer *r); /* r may be NULL */

/* Each of these reduces the n elements of `buffer` from element number `first` on, after all
 * commands that are already in the queue, and waits for the result. After an error *result is
 * unchanged. If n is 0 the result is the identity, and `buffer` may be NULL. The first call of each
 * function compiles its kernel.
 *
 *   sum   of int and uint wraps around modulo 2^32; of float and double it rounds, in an order that
 *         depends only on the device, on n, and on where the elements lie. The identity is 0
 *   min   skips NaN. The identity is the type's greatest value, or infinity
 *   max   skips NaN. The identity is the type's least value, or -infinity
 *
 * Only one thread at a time may use a reducer. Different reducers share nothing but the queue. */
cl_int reduce_sum_int(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_int *result);
cl_int reduce_sum_uint(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_uint *result);
cl_int reduce_sum_float(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_float *result);
cl_int reduce_sum_double(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_double *result);
cl_int reduce_min_int(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_int *result);
cl_int reduce_min_uint(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_uint *result);
cl_int reduce_min_float(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_float *result);
cl_int reduce_min_double(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_double *result);
cl_int reduce_max_int(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_int *result);
cl_int reduce_max_uint(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_uint *result);
cl_int reduce_max_float(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_float *result);
cl_int reduce_max_double(reducer *r, cl_mem buffer, cl_ulong first, cl_ulong n, cl_double *result);

#ifdef __cplusplus
}
#endif
#endif
