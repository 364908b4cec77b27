/* What --check tries, as lists. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define LARGEST UINT64_MAX // that the device has

/* The other operations. A third of them has every operator and every type in it; the variants of a
 * step take these thirds in turn. The main one takes all three where it can be built with several
 * widths. Hash shows the order of elements, which may hang on the group: odd, no power of two, the
 * usual.
 */
static const struct pairing {
    enum { EACH = -1, FIRST, SECOND, THIRD } turn;
    const char *op, *type;
    uint64_t groups[5]; // 0 ends them; one that does not fit gives way to the plan's own
    int width;          // if the plan asks for one
} matrix[] = {
    { EACH, "hash", "int", { 7, 12, 96, 256 }, 1 }, // more than one element at a time is no order
    { EACH, "hash", "uint", { 32 }, 1 },

    { FIRST, "sum", "long", { 100 }, 2 },
    { FIRST, "min", "float", { 256 }, 16 },
    { FIRST, "min", "double", { 48 }, 4 },
    { FIRST, "max", "uint", { 2 }, 8 },
    { FIRST, "max", "ulong", { 3 }, 1 },
    { FIRST, "argmin", "int", { 7 }, 2 },
    { FIRST, "argmax", "float", { 12 }, 8 },

    { SECOND, "sum", "uint", { 32 }, 4 },
    { SECOND, "sum", "ulong", { 96 }, 8 },
    { SECOND, "min", "int", { 100 }, 1 },
    { SECOND, "min", "long", { 256 }, 2 },
    { SECOND, "max", "float", { 17 }, 4 },
    { SECOND, "max", "double", { 2 }, 16 },
    { SECOND, "argmin", "uint", { 3 }, 16 },
    { SECOND, "argmax", "int", { 7 }, 1 },

    { THIRD, "sum", "float", { 100 }, 1 },
    { THIRD, "sum", "double", { 256 }, 8 },
    { THIRD, "min", "uint", { 128 }, 2 },
    { THIRD, "min", "ulong", { 2 }, 16 },
    { THIRD, "max", "int", { 3 }, 16 },
    { THIRD, "max", "long", { 7 }, 4 },
    { THIRD, "argmin", "float", { 12 }, 4 },
    { THIRD, "argmax", "uint", { 32 }, 2 },

    { EACH, NULL, NULL, { 100 }, 4 }, // what is not listed
};

/* The first operation: all these groups, or another variant of the same kernel had them. */
enum { WIDTHS = 6 };
static const uint64_t all_groups[] = { 1, 2, 3, 7, 32, 100, 128, 256, 1024, LARGEST, 0 };
static const uint64_t usual_group[] = { 96, 0 };
static const struct {
    int width;
    uint64_t groups[2];
} all_widths[WIDTHS] = { { 1, { 96 } }, { 2, { 100 } },  { 4, { 12 } },
                         { 8, { 7 } },  { 16, { 256 } }, { 16, { 3 } } };

/* How many groups, where the plan leaves that open: from one size to the next another of these, and
 * from one test to the next another beginning, so that each meets each size and each group.
 */
enum { COUNTS = 8 };
static const uint64_t all_counts[COUNTS] = { 0, 1, 2, 3, 5, 17, 64, 300 }; // 0: the plan's own
