/* One way out for every error: a line on standard error and exit status 2. A program that runs for
 * seconds need not unwind: the operating system takes back what it held, and no caller has to hand
 * an error on. */
#include "fail.h"

#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool unwatched;
bool *on_purpose = &unwatched;

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout); // so that the message comes after what was printed before it
    vwarnx(format, arguments);
    va_end(arguments);
    *on_purpose = true;
    exit(EXIT_SETUP);
}

void leave(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("cannot write all of standard output: is the disk full?");
    *on_purpose = true;
    exit(status);
}

void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory && bytes)
        fail("the host has no %zu bytes of memory left", bytes);
    return memory;
}

/* Of errors that a kernel or a machine can cause; others are the harness's own. */
static const char *cl_error_name(cl_int status)
{
    switch (status) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES: return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY: return "CL_OUT_OF_HOST_MEMORY";
    case CL_INVALID_BUILD_OPTIONS: return "CL_INVALID_BUILD_OPTIONS";
    case CL_INVALID_WORK_GROUP_SIZE: return "CL_INVALID_WORK_GROUP_SIZE";
    }
    return "see CL/cl.h";
}

void check_cl(cl_int status, const char *call)
{
    if (status != CL_SUCCESS)
        fail("%.*s: %s (%d)", (int)strcspn(call, "("), call, cl_error_name(status), status);
}
