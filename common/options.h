/* The command line: its options, and what they choose among the variants and operations. */
#pragma once

#include "run.h"

enum { NUMBERS_MAX = 64 }; // the longest list
enum { VARIANTS_MAX = 16, OPERATIONS_MAX = 63 };

/* Who makes use of an option. The lower bits are of plans: see enum option_use. */
enum { USED_IN_TIMING = 32, USED_FOR_DATA = 64 };

struct numbers {
    uint64_t value[NUMBERS_MAX + 1]; // a 0 follows the last one
    int count; // 0: not given; value[0] is then the default, or 0. (n is then a list of one.)
};

struct options {
    bool list, facts, variants, help, version, check, races, warm, force;
    const char *device, *variant, *op, *type, *sub_groups, *out, *kernel; // NULL: not given
    struct numbers n, group, groups, width, evict, repetitions, seed;
    double seconds, limit_seconds, timeout;
    uint64_t given;      // a bit for each row of the table in options.c
    const char *command; // all options but --out, until the next call of parse_options()
};

/* Everything that a program is asked to do. */
struct request {
    const struct step *step;
    const struct options *options;
    const struct variant *variants[VARIANTS_MAX + 1]; // NULL ends both lists
    const struct operation *operations[OPERATIONS_MAX + 1];
    const struct geometry *geometries; // each size of --group with each --width
    int geometry_count;
    struct problem first;  // the first variant, operation, n and geometry
    uint32_t seed;         // of the data
    struct device *device; // NULL: not opened yet
    enum watch watch;      // WATCH_ITSELF unless the judge supervises
};

/* Fails, saying what would be right, if an option means nothing. */
struct options parse_options(int argc, char **argv);
void print_help(void);

/* Was this option given, even with its default value? `name` is without --. */
bool is_given(const struct options *options, const char *name);

/* getopt_long() returns this number plus the row of the option in its table. It is above all
 * characters. */
enum { OPTION_VALUE = 256 };

/* Fails: `word` is no option, or has no value, or has one too many. `found` is what getopt_long()
 * has returned for it. */
_Noreturn void refuse_option(int found, const char *word);

/* An option without effect is a mistake: fails if an option was given that is not in `uses`. */
void refuse_unused_options(const struct options *options, unsigned uses, const char *user);

/* Finds what --variant, --op and --type name. Without them: the main variant and the sum of int;
 * with --check all of them. No operation: this operator does not have this type. The lists are
 * valid until the next call. */
struct request choose_request(const struct step *step, const struct options *options);

/* Reads 1000, 2^24, 16Ki, 16Mi or 1Gi after a prefix, and moves *text past it. */
bool read_number(const char *prefix, const char **text, uint64_t *number);
