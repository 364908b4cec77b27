#include "fail.h"

#include "control_characters.h"
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void (*end_all_processes)(const char *message);

void fail(const char *format, ...)
{
    static char message[1 << 18]; // it may quote a word, which has at most 2^17 bytes on Linux
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    replace_control_characters(message);
    fflush(stdout); // the message comes after everything that was printed before it
    if (end_all_processes)
        end_all_processes(message);
    warnx("%s", message);
    exit(STATUS_SETUP);
}

void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory && bytes)
        fail("the host has no %zu bytes of memory left", bytes);
    return memory;
}

/* Names the errors that a kernel or a machine can cause. Any other error is a mistake in the
 * harness. */
static const char *name_of_error(cl_int status)
{
    switch (status) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES: return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY: return "CL_OUT_OF_HOST_MEMORY";
    case CL_INVALID_BUILD_OPTIONS: return "CL_INVALID_BUILD_OPTIONS";
    case CL_INVALID_WORK_GROUP_SIZE: return "CL_INVALID_WORK_GROUP_SIZE";
    case CL_INVALID_COMMAND_QUEUE: // NVIDIA's runtime
        return "the runtime has given up, probably because a kernel accessed memory out of bounds: "
               "CL_INVALID_COMMAND_QUEUE";
    }
    return "an error of OpenCL, which CL/cl.h names";
}

void fail_in_opencl(cl_int status, const char *call)
{
    const int name_length = (int)strcspn(call, "("); // without the call's arguments
    fail("%.*s: %s (%d)", name_length, call, name_of_error(status), status);
}
