/* What a reduction is measured against: the fastest read of the same bytes, an empty launch, and a
 * cold cache. */
#pragma once

#include "program.h"

struct limit {
    const struct device *device;
    uint64_t evict_bytes;           // written between repetitions; 0: warm
    cl_mem other, sink;             // what is written in between; what reads leave
    const struct read_shape *shape; // how to read fastest, at this size: limit_choose; NULL: none
                                    // is right
};

struct limit limit_open(const struct device *device, uint64_t evict_bytes);
void limit_close(struct limit *limit);

/* Bytes of the last-level cache: of the system on CPUs, of the device on GPUs. */
uint64_t last_level_cache(const struct device *device);

void limit_evict(const struct limit *limit);

/* A GPU's clocked queue is kept busy until the host has handed over what comes next: a GPU that
 * must be woken for each launch takes microseconds longer by its own clock. */
void limit_hold(const struct limit *limit);

/* Tries all shapes on these elements, and keeps the fastest that reads all. */
void limit_choose(struct limit *limit, cl_mem elements, uint64_t bytes);

/* Seconds of one read of `bytes` of elements, from a cold cache. They are the kernel's by the
 * device's clock. Where that cannot be right they are the wall's on a CPU, and NAN on a GPU. NAN
 * too where no shape reads all. */
double limit_read(const struct limit *limit, cl_mem elements, uint64_t bytes);

/* Seconds by the wall of an empty kernel and of one value to the host, from a cold cache. */
double limit_empty_launch(const struct limit *limit);
