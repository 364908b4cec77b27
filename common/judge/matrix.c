#include "matrix.h"

#include "data.h"
#include "operations.h"
#include <string.h>

/* The other operations, in three parts. Each part has every operator and every type in it, and the
 * variants of a step take the parts in turn. The main variant takes all three if it has several
 * widths. Hash shows the order of the elements, which may depend on the group size: odd, even but
 * no power of two, and the usual one. */
static const struct pairing matrix[] = {
    { EACH_TURN, "hash", "int", { 7, 12, 96, 256 }, 1 }, // wider loads do not keep the order
    { EACH_TURN, "hash", "uint", { 32 }, 1 },

    { TURN_0, "sum", "long", { 100, 64 }, 2 },
    { TURN_0, "min", "float", { 256, 64, 7 }, 16 },
    { TURN_0, "min", "double", { 48, 512, 3 }, 4 },
    { TURN_0, "max", "uint", { 2 }, 8 },
    { TURN_0, "max", "ulong", { 3 }, 1 },
    { TURN_0, "argmin", "int", { 7 }, 2 },
    { TURN_0, "argmax", "float", { 12, 512 }, 8 },

    { TURN_1, "sum", "uint", { 32, 512 }, 4 },
    { TURN_1, "sum", "ulong", { 96 }, 8 },
    { TURN_1, "min", "int", { 100 }, 1 },
    { TURN_1, "min", "long", { 256 }, 2 },
    { TURN_1, "max", "float", { 17, 512 }, 4 },
    { TURN_1, "max", "double", { 2, 64, 7 }, 16 },
    { TURN_1, "argmin", "uint", { 3 }, 16 },
    { TURN_1, "argmax", "int", { 7 }, 1 },

    { TURN_2, "sum", "float", { 100, 64, 512, 7 }, 1 },
    { TURN_2, "sum", "double", { 256, 64, 512, 7 }, 8 },
    { TURN_2, "min", "uint", { 128 }, 2 },
    { TURN_2, "min", "ulong", { 2 }, 16 },
    { TURN_2, "max", "int", { 3 }, 16 },
    { TURN_2, "max", "long", { 7 }, 4 },
    { TURN_2, "argmin", "float", { 12, 64 }, 4 },
    { TURN_2, "argmax", "uint", { 32 }, 2 },

    { EACH_TURN, NULL, NULL, { 100 }, 4 }, // operations that are not listed
};

const struct pairing *find_pairing(const struct operation *operation)
{
    const struct pairing *pairing = matrix;
    while (pairing->op && find_operation(pairing->op, pairing->type) != operation)
        pairing++;
    return pairing;
}

const uint64_t all_group_sizes[] = { 1, 2, 3, 7, 32, 64, 100, 128, 256, 512, 1024, UINT64_MAX, 0 };
const uint64_t usual_group_size[] = { 96, 0 };

const struct width_test all_widths[] = {
    { 1, { 96, 320 } }, { 2, { 100, 320 } },     { 4, { 12, 320 } },
    { 8, { 7, 320 } },  { 16, { 256, 3, 320 } }, { 0 },
};

const uint64_t all_group_counts[GROUP_COUNTS] = { 0, 1, 2, 3, 5, 17, 64, 300 };

int list_sizes(const struct options *options, uint64_t group_size, bool has_width, bool is_brief,
               uint64_t sizes[NUMBERS_MAX])
{
    enum { BRIEF_COUNT = 6, COUNT = 18 };
    const uint64_t largest = group_size == 256 ? 2097169 : 1048583, seed = options->seed.value[0];
    const uint64_t all[COUNT] = { 1,
                                  3,
                                  group_size + 1,
                                  4096,
                                  262147,
                                  5000 + seed % 95000, // these are the brief list
                                  100003,
                                  2,
                                  group_size - 1,
                                  group_size,
                                  2 * group_size + 1,
                                  17,
                                  4095,
                                  10008,
                                  group_size * group_size + 1,
                                  131072,
                                  largest,
                                  5000 + seed % 995000 };
    if (options->n.count > 0) {
        memcpy(sizes, options->n.value, sizeof options->n.value);
        return options->n.count;
    }
    int count = is_brief ? BRIEF_COUNT : COUNT;
    memcpy(sizes, all, sizeof all);
    const bool tries_rests = has_width || is_brief || group_size == 256;
    for (uint64_t rest = 0; tries_rests && rest < 16; rest++)
        sizes[count++] = 48 + rest;
    return sort_and_filter(sizes, count, 1, largest);
}
