/* Reading the clocks. Event times come from the driver, and some drivers make them up: see
 * event_interval. */
#include "clock.h"

#include "fail.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

struct interval event_interval(cl_event event)
{
    const struct interval missing = { NAN, NAN };
    const cl_ulong least =
        20; // nanoseconds: nothing is launched in less; rusticl says 2 and 3 whatever it ran
    cl_ulong start = 0, end = 0;
    cl_int status =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (status == CL_SUCCESS)
        status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (status == CL_PROFILING_INFO_NOT_AVAILABLE)
        return missing;
    check_cl(status, "clGetEventProfilingInfo");
    if (start == 0 || end <= start || end - start < least)
        return missing;
    // From the first start on: NVIDIA counts from 1970, and in doubles such times are a quarter of
    // a microsecond apart.
    static cl_ulong origin;
    if (!origin)
        origin = start;
    double from = 1e-9 * (cl_long)(start - origin);
    return (struct interval) { from, from + 1e-9 * (end - start) };
}

/* For qsort. */
static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct statistics statistics(double *samples, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += samples[i];
    if (isnan(sum)) // one reading that cannot be trusted spoils the whole row
        return (struct statistics) { NAN, NAN, NAN };
    qsort(samples, count, sizeof *samples, ascending);
    return (struct statistics) { .min = samples[0],
                                 .median = (samples[(count - 1) / 2] + samples[count / 2]) / 2,
                                 .p90 = samples[(count * 9 + 9) / 10 - 1] };
}
