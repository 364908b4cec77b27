/* The command line of every step. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { LIST = 64 }; // longest list of numbers

enum { TIMING = 32, DATA = 64 }; // who uses an option; bits below are of plans: see ASKED_GROUP

struct numbers {
    uint64_t value[LIST];
    int count; // 0: not given, and value[0] is the default
};

struct options {
    bool list, facts, variants, help, version, check, races, warm, force, uniform;
    const char *device, *variant, *op, *type, *sub_groups, *out, *kernel; // NULL: not given
    struct numbers n, group, groups, width, evict, repetitions, seed;
    double seconds, limit_seconds, timeout;
    uint64_t given;    // a bit for each row of the table in options.c
    char command[512]; // without --out and its folder
    char **words;      // as they were given, but options first; before them the program's name
};

/* 1000, 2^24, 16Ki, 16Mi or 1Gi behind that prefix, as *text has it, which moves behind the number.
 * False: there is none. */
bool read_number(const char *prefix, const char **text, uint64_t *number);

/* Fails, saying what would be right, for anything that means nothing. */
struct options options_parse(int argc, char **argv);
void options_help(void);

/* An option that is of no use is a mistake: fails if one was given that `who` does not use. */
void options_refuse(const struct options *options, unsigned uses, const char *who);
