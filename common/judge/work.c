#define _DEFAULT_SOURCE // setitimer()
#include "work.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

bool prints_tap;

static struct progress of_this_process;
struct progress *progress = &of_this_process;

bool is_of_learner(const char *kernel) { return *kernel == '/' || *kernel == '.'; }

const char *file_of_learner(const struct request *request)
{
    const char *kernel = request->variants[0]->kernel;
    return kernel && is_of_learner(kernel) ? kernel : NULL;
}

void print_place(const struct problem *problem, char text[80])
{
    const int length = snprintf(text, 80, " at n = %" PRIu64, problem->n);
    if (problem->geometry.group_size)
        snprintf(text + length, 80 - length, ", groups of %zu", problem->geometry.group_size);
}

/* Two streams, after redirect_output_of_kernels(). A runtime prints a kernel's text in one of two
 * ways: pocl to file descriptor 1, Intel's runtime to the variable `stdout` of the C library. */
static FILE *output_of_kernels, *own_output;

void redirect_output_of_kernels(void)
{
    const int own = dup(STDOUT_FILENO),
              other = getenv("REDUCE_NO_PRINTF") ? open("/dev/null", O_WRONLY) : STDERR_FILENO;
    own_output = own < 0 ? NULL : fdopen(own, "w");
    if (!own_output || dup2(other, STDOUT_FILENO) < 0)
        fail("standard output cannot be kept apart from what a kernel prints");
    setvbuf(own_output, NULL, _IOLBF, 0); // each line is kept, even if the program crashes
    output_of_kernels = stdout;
    stdout = own_output;
}

static void limit_processor_time(long seconds)
{
    progress->processor_seconds = seconds;
    setitimer(ITIMER_PROF, &(struct itimerval) { .it_value.tv_sec = seconds }, NULL);
}

void begin_work(const struct problem *problem, const struct device *device, enum work work)
{
    enum { FEW_ELEMENTS = 4096, SECONDS_FOR_FEW = 10, SECONDS_TO_PLAN = 60 };
    // A few elements need no time, so a kernel that never ends is noticed soon. The cores of a CPU
    // may spend such seconds at the same time, even if they only wait for work.
    const long cores = device->is_cpu ? (long)device->compute_units : 0,
               for_few = cores > SECONDS_FOR_FEW ? cores : SECONDS_FOR_FEW;
    progress->problem = *problem;
    progress->work = work;
    progress->count++;
    progress->has_run |= work == RUNNING;
    if (device->is_simulated) // oclgrind.py limits its time
        return;
    limit_processor_time(work == PLANNING             ? SECONDS_TO_PLAN
                         : problem->n <= FEW_ELEMENTS ? for_few
                                                      : 0);
    if (output_of_kernels)
        stdout = output_of_kernels;
}

void end_work(void)
{
    limit_processor_time(0);
    progress->work = AT_REST;
    progress->count++;
    if (output_of_kernels)
        stdout = own_output;
}
