/* The lists of what --check verifies. */
#pragma once

#include "options.h"

/* One of the other operations, in which groups and at which width. */
struct pairing {
    enum { EACH_TURN = -1, TURN_0, TURN_1, TURN_2 } turn;
    const char *op, *type;
    uint64_t group_sizes[5]; // 0 ends them; the plan's own size replaces one that does not fit
    int width;               // if the variant has one
};
const struct pairing *find_pairing(const struct operation *operation);

/* The first operation is verified in all of these groups, up to the largest of the device; or in
 * the usual ones, if another variant with the same kernel was verified in all of them. A 0 ends
 * each list. */
extern const uint64_t all_group_sizes[], usual_group_size[];

/* The first operation at all widths, each in groups of a few sizes, one of them above 256. Width 0
 * ends the list. */
struct width_test {
    int width;
    uint64_t group_sizes[4];
};
extern const struct width_test all_widths[];

/* Numbers of groups, if the plan leaves that open: another one for each size, with another start in
 * each test, so that each number occurs with each size and each group size. 0: the plan chooses. */
enum { GROUP_COUNTS = 8 };
extern const uint64_t all_group_counts[GROUP_COUNTS];

/* Sizes at which reductions break: around one and two groups, powers of two, primes, two that
 * depend on the seed, one above 2^20 or, for the usual group size of 256, above 2^21. With a width,
 * and in groups of 256, all remainders that vectors of 16 can leave. If `is_brief`, only the first
 * few, of which the largest is above 2^18, and all remainders. Returns their number. */
int list_sizes(const struct options *options, uint64_t group_size, bool has_width, bool is_brief,
               uint64_t sizes[NUMBERS_MAX]);
