/* What can be reduced: an operator on a type, as the host sees it. kernels/operators/ defines it,
 * and operation.c compiles that file once for each type. */
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

enum { DATA_UNPLANTED = -1 }; // (uint64_t)DATA_UNPLANTED: no extreme planted

struct data {                  // which elements: see kernels/data.clh
    uint64_t n, planted, kind; // DATA_PLAIN and so on
    uint32_t seed;
    uint64_t before, after; // elements of the array that belong to other processes
};

struct shown {     // a value, for people
    double number; // rounded, for 64-bit types
    char text[32];
};

struct operation {
    const char *op, *type, *options; // "sum", "int", "-D OPERATOR=sum -D ELEMENT=int"
    size_t element_bytes, value_bytes;
    bool is_floating, is_commutative, has_index;
    bool has_extreme;       // min, max, argmin and argmax: the data have one planted extreme
    bool converts_elements; // a partial result is no element, even if it has as many bytes
    bool adds;              // combine() is +
    bool has_order_word;    // a value of 4 bytes can become an unsigned word; the greatest one wins
    bool has_atomic;        // OpenCL has an atomic function for it
    bool has_collective;    // OpenCL has work_group_reduce and sub_group_reduce for it

    /* poison: min and max would give it, and it changes every sum that it is added to. So does any
     * other value of the bits in `free_bits`. */
    const any_value *identity, *poison, *free_bits;
    void (*fold)(const void *from, uint64_t n, void *value); // n more values, in order
    void (*extreme)(const struct data *data, void *value);   // the one that is planted: it wins
    void (*reference)(const struct data *data, void *value); // by a loop over this process's own
    struct shown (*show)(const void *value);
    /* Only an operation outside the ladder has this function: its kernels cannot be tried as a sum
     * of words. Returns a sentence on what the wrong value itself shows about the mistake, or NULL
     * if it shows nothing. */
    const char *(*explain_value)(const struct data *data, const void *wrong);
};

#define OPERATION(op, type) extern const struct operation operation_##op##_##type;
#include "operation_list.h"
#undef OPERATION
