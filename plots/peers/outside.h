/* The calls of somebody else's library, one for each operator and type. A C++ or CUDA file includes
 * this header and nothing else of the harness. library.c carries the calls out.
 */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

/* A row without `op` ends a table. The value must be on the host when a call returns. */
struct outside {
    const char *op, *type;
    /* Reduces the elements in the host's memory. NULL: on_device reduces them. */
    void (*on_host)(const void *elements, uint64_t n, void *value);
    /* Reduces the device's array. If `clocked`, it returns the seconds from the start of its first
     * kernel to the end of its last one, even if that costs wall time; NAN if it cannot. */
    double (*on_device)(cl_command_queue queue, cl_mem elements, uint64_t n, bool clocked,
                        void *value);
    /* Called before the clock starts, if not NULL. `changed`: the elements may differ from those of
     * the previous call. */
    void (*prepare)(cl_command_queue queue, cl_mem elements, uint64_t n, bool changed);
};

/* What a library's file defines: the name of the peer, a text that the device's name must contain,
 * and the calls. */
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
