/* The calls of another library, one for each operator and type. A C++ or CUDA file includes only
 * this header of the harness. library.c executes the calls.
 */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

/* A row whose `op` is NULL ends a table. A call must return after the value is on the host. */
struct library_call {
    const char *op, *type;
    /* Reduces the elements in the host's memory. If it is NULL, on_device is called. */
    void (*on_host)(const void *elements, uint64_t n, void *value);
    /* Reduces the device's array. If `is_timed`, it returns the seconds from the start of its first
     * kernel to the end of its last kernel, even if that costs wall time, or NAN if the library
     * cannot measure this time. */
    double (*on_device)(cl_command_queue queue, cl_mem elements, uint64_t n, bool is_timed,
                        void *value);
    /* If it is not NULL, it is called before the clock starts. If `is_new_input`, the elements may
     * differ from those of the previous call. */
    void (*prepare)(cl_command_queue queue, cl_mem elements, uint64_t n, bool is_new_input);
};

/* The file of a library defines the name of the peer, a text that the name of the device must
 * contain, and the calls. */
#ifdef __cplusplus
extern "C" {
[[noreturn]] void fail(const char *format, ...); // prints one line, exits with status 2; see fail.h
#endif
extern const char peer_name[], peer_device[];
extern const struct library_call peer_calls[];
#ifdef __cplusplus
}
#endif
#endif
