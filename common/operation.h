/* What can be reduced: an operator on a type, as the host sees it. What it means is in
 * kernels/operator.clh. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../kernels/kinds.clh"

enum { VALUE_BYTES = 8 }; // of any value, at most
typedef union {
    _Alignas(8) unsigned char bytes[VALUE_BYTES];
    uint32_t words[VALUE_BYTES / 4]; // the lowest one first: little-endian, as all of this is
} any_value;

enum { NOWHERE = -1 }; // (uint64_t)NOWHERE: no extreme planted

struct data {                  // which elements: see kernels/data.clh
    uint64_t n, planted, kind; // PLAIN and so on
    uint32_t seed;
};

struct shown {     // a value, for people
    double number; // rounded, for 64-bit types
    char text[32];
};

struct operation {
    const char *op, *type, *options; // "sum", "int", "-D SUM -D INT"
    size_t element_bytes, value_bytes;
    bool floating, commutative, has_index;
    bool has_extreme;       // min, max and their indices: one is planted in the data
    bool converts_elements; // load() makes something else of an element
    bool adds;              // combine() is +
    bool has_rank;          // values of 4 bytes make unsigned words, of which the greatest wins
    bool has_atomic;        // OpenCL's own
    bool has_collective;    // likewise, work_group_reduce

    const any_value *identity, *poison;                      // the neutral one; what would win
    void (*fold)(const void *from, uint64_t n, void *value); // n more values, in order
    void (*extreme)(const struct data *data, void *value);   // the one that is planted: it wins
    void (*reference)(const struct data *data, void *value); // by the plain loop
    struct shown (*show)(const void *value);
    /* Of an operation outside the ladder, else NULL: what has most likely made the wrong value, or
     * NULL. A diagnosis would try it as a sum of words, which it is not. */
    const char *(*guess_cause)(const struct data *data, const void *wrong);
};

#define OPERATION(op, type) extern const struct operation operation_##op##_##type;
#include "operation_list.h"
#undef OPERATION
