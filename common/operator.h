/* What can be reduced: each operator on each type, as the host sees it. The meaning is in
 * kernels/operator.clh. */
#ifndef OPERATOR_H
#define OPERATOR_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t uint; // OpenCL C's names, for the texts that are C as well
typedef uint64_t ulong;

static inline uint as_uint(float x)
{
    union {
        float x;
        uint bits;
    } both = { x };
    return both.bits;
}

enum { VALUE_BYTES = 16 }; // room for any value
typedef struct {
    _Alignas(16) unsigned char bytes[VALUE_BYTES];
} any_value;

enum { NOWHERE = -1 }; // (uint64_t)NOWHERE: no extreme planted

struct data { // which elements: see kernels/data.cl
    uint64_t n, planted,
        nans; // the extreme's index; one float in so many is a NaN; see kernels/data.cl
    uint32_t seed;
    bool uniform; // floats of a sum between 0 and 1: right is what lies within the bound, see
                  // accuracy.c
};

struct operation {
    const char *op, *type, *options; // "sum", "int", "-D SUM -D INT"
    bool has_extreme;                // min, max and their indices: one is planted in the data
    bool has_index, commutative, floating;
    size_t element_bytes, value_bytes;
    void (*set_identity)(void *value);
    void (*set_poison)(void *value); // what would win
    double (*reference)(const struct data *data,
                        void *value);       // in order; a sum of floats in double, and so returned
    void (*plant)(void *value, uint64_t i); // as if element i of what it came from were the extreme
    void (*fold)(const void *values, uint64_t n,
                 void *value);           // *value = *value and n more, in order
    double (*number)(const void *value); // rounded, for 64-bit types
    void (*print)(const void *value, char *text, size_t size);
};

extern const struct operation *const operators[];                        // NULL ends it
const struct operation *operator_find(const char *op, const char *type); // NULL: there is none

/* X(sum, int) X(sum, uint) …: for tables with a row each. */
#define EACH_TYPE(X, op) X(op, int) X(op, uint) X(op, float) X(op, long) X(op, ulong) X(op, double)
#define EACH_WORD(X, op) X(op, int) X(op, uint) X(op, float)
#define EACH_PLAIN(X)                                                                              \
    EACH_TYPE(X, sum)                                                                              \
    EACH_TYPE(X, min)                                                                              \
    EACH_TYPE(X, max)
#define EACH_OPERATOR(X)                                                                           \
    EACH_PLAIN(X) EACH_WORD(X, argmin) EACH_WORD(X, argmax) X(hash, int) X(hash, uint)

#endif
