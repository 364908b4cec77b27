/* How the harness gives up: one clear line, then the exit status (0 right, 1 wrong, 2 usage or
 * set-up, 77 unsupported).
 */
#pragma once

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

enum { EXIT_WRONG = 1, EXIT_SETUP = 2, EXIT_UNSUPPORTED = 77 };

extern char *program_invocation_short_name;        // glibc's, without the path
#define program_name program_invocation_short_name // what stands before each message
extern bool *on_purpose; // points to true once this program ends by its own will: see watch.c

/* Prints "program_name: what is wrong: what would be right" to standard error and exits with 2. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends a program that did not fail. If its standard output could not be written, as on a full disk,
 * that is a failure after all. */
_Noreturn void leave(int status);

/* Zeroed memory; fails where there is none. free() it. */
void *allocate(size_t bytes);

/* CL(clFinish(queue)): any OpenCL call that returns a status; a bad one fails with the call's and
 * the error's name. */
#define CL(call) check_cl((call), #call)
void check_cl(cl_int status, const char *call);
