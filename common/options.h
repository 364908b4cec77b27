/* The command line: its options, and what they choose among the variants and operations. */
#pragma once

#include "plan.h"

enum { NUMBERS_MAX = 64 }; // the longest list
enum { VARIANTS_MAX = 16, OPERATIONS_MAX = 63 };

struct numbers {
    uint64_t value[NUMBERS_MAX + 1]; // a 0 follows the last one
    int count;                       // 0: not given
};

struct options { // 0 or NULL: not given, unless there is a default
    bool list, facts, variants, help, version, warm, force;
    const char *device, *variant, *op, *type, *sub_groups, *out, *kernel;
    struct numbers n, group, width;
    uint64_t groups, repetitions, evict, seed;
    double seconds, limit_seconds, timeout;

    // what follows from these
    bool is_question;       // --list, --facts, --variants, --help or --version
    bool may_end_early;     // without --reps
    bool has_usual_timeout; // without --timeout
    const char *command;    // all options but --out, until the next call of parse_options()
};

/* ---- lists of options: a program may have one of its own */
enum value_kind {
    VALUE_NONE, // the option has none: `place` becomes true
    VALUE_TEXT,
    VALUE_FILE, // becomes a path that begins with / or ., as kernels of a user do
    VALUE_NUMBER,
    VALUE_LIST,
    VALUE_SWEEP,
    VALUE_SECONDS,
    VALUE_WORD, // no option, but the name of a file that stands alone
    VALUE_MOVED // refused: `place` is the text of the message
};

struct known_option {
    const char *name, *argument, *help; // the name of a word that stands alone is ""
    enum value_kind kind;
    void *place;    // of its value: bool, const char *, uint64_t, struct numbers or double
    uint64_t least; // of its numbers
};

extern const struct known_option common_options[],
    measuring_options[]; // of programs that measure; an option without a name ends each list

/* Reads the command line by these lists. NULL ends them. If two options have one name, the first
 * one counts. Unless they are given, n is 2^24 and the seed is 1 with measuring_options; otherwise
 * the seed is drawn. Fails, saying what would be right, if an option means nothing. */
struct options parse_options(int argc, char **argv, const struct known_option *const *lists);

/* Prints the usage, after "usage: " and the program's name, and a line for each option. */
void print_options(const char *usage, const struct known_option *const *lists);

/* The same, and then the operators, the types, the back ends of sub-groups and the exit statuses.
 */
void print_help(const char *usage, const struct known_option *const *lists);

/* ---- what the options choose */
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
};

/* Finds what --variant, --op and --type name. If they are not given: the main variant and the sum
 * of int; or all variants and operations if `all`. No operation: this operator does not have this
 * type. The lists are valid until the next call. */
struct request choose_request(const struct step *step, const struct options *options, bool all);

/* In each chosen variant, the kernel of this file replaces the variant's own, until the next call.
 */
void replace_kernels(struct request *request, const char *file);

/* Says that the operator does not have this type. Returns STATUS_UNSUPPORTED. */
enum status report_missing_operation(const struct options *given);
