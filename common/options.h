/* The command line of every step. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { LIST = 64 }; // longest list of numbers

struct numbers {
    uint64_t value[LIST];
    int count;
};

struct options {
    bool list, variants, help, version, check, warm, force;
    const char *device, *variant, *op, *type, *sub_groups, *out, *kernel; // NULL: not given
    struct numbers n, group;
    uint64_t groups, evict;
    bool evict_given, repetitions_given;
    int repetitions;
    double seconds, limit_seconds;
    uint32_t seed;
    char command[512]; // as given, without --out and its folder: for the data's header
};

/* Fails, naming the option and what it takes, for anything that means nothing. */
struct options options_parse(int argc, char **argv);
void options_help(void);

#endif
