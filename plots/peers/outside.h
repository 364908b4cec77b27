/* The calls of somebody else's library, one for each operator and type. C++ and CUDA, where such
 * libraries live, include this header and nothing of the harness; library.c carries them out.
 */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

/* A table of them ends with a NULL. The value must be on the host when the call returns. */
struct outside {
    const char *op, *type;
    void (*on_host)(const void *elements, uint64_t n,
                    void *value); // over the elements, mapped; or, NULL here:
    /* over the device's array. clocked: returns the seconds from its first kernel's start to its
     * last one's end, if it can; that may cost wall time. Else NAN. */
    double (*on_device)(cl_command_queue queue, cl_mem elements, uint64_t n, bool clocked,
                        void *value);
    /* Before the clock starts, where not NULL. changed: these may be other elements than those of
     * the last call. */
    void (*prepare)(cl_command_queue queue, cl_mem elements, uint64_t n, bool changed);
};

/* What a library's file defines for a program of its own: a name, what must stand in the device's,
 * the calls. */
#ifdef __cplusplus
extern "C" {
[[noreturn]] void fail(const char *format, ...); // one line and exit status 2: fail.h
#endif
extern const char peer_name[], peer_device[];
extern const struct outside peer_calls[];
#ifdef __cplusplus
}
#endif
#endif
