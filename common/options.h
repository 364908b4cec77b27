/* The command line of every step. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { LIST = 64 }; // longest list of numbers

struct numbers {
    uint64_t value[LIST];
    int count; // 0: not given, and value[0] is the default
};

struct options {
    bool list, facts, variants, help, version, check, races, warm, force, uniform;
    const char *device, *variant, *op, *type, *sub_groups, *out, *kernel; // NULL: not given
    struct numbers n, group, groups, width, evict, repetitions, seed;
    double seconds, limit_seconds, timeout;
    char command[512]; // as given, without --out and its folder
};

/* Prints the help if it is asked for; fails, saying what would be right, for anything that means
 * nothing. */
struct options options_parse(int argc, char **argv);

#endif
