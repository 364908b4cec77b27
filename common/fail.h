/* How the harness gives up: one line on standard error, then an exit status.
 *
 * A program that runs for seconds need not unwind. The operating system takes back what the program
 * held, so no caller has to pass an error on.
 */
#pragma once

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

enum status {
    STATUS_RIGHT = 0,
    STATUS_WRONG = 1,
    STATUS_SETUP = 2,        // usage, set-up, or an OpenCL error
    STATUS_UNSUPPORTED = 77, // not supported on this device
};

extern char *program_invocation_short_name;        // glibc: the program's name without its path
#define program_name program_invocation_short_name // each message begins with it

/* Prints "program_name: what is wrong: what to do" and exits with STATUS_SETUP. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* If several processes work together, fail() calls this function, which prints the message of one
 * process and ends all processes. NULL: there is one process. */
extern void (*end_all_processes)(const char *message);

/* Zeroed memory, to be released by free(). Fails if there is none left. */
void *allocate(size_t bytes);

/* CL(clFinish(queue)): an OpenCL call that returns a status. A status other than CL_SUCCESS ends
 * the program with the names of the call and of the error. */
#define CL(call)                                                                                   \
    do {                                                                                           \
        const cl_int cl_status = (call);                                                           \
        if (cl_status != CL_SUCCESS)                                                               \
            fail_in_opencl(cl_status, #call);                                                      \
    } while (0)

_Noreturn void fail_in_opencl(cl_int status, const char *call);
