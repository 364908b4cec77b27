/* The command line of the capstone: the words that it shares with the steps mean the same. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SIZES = 32 };

struct arguments {
    bool check, list, help, variants, article_stop;
    const char *device, *sub_groups, *matrix, *version, *out; // NULL: not given
    uint64_t n[SIZES], group, seed, most_rounds;
    int sizes;
    double tolerance; // 0: not given
};

/* Fails, saying what would be right, for anything that means nothing. */
struct arguments arguments_parse(int argc, char **argv);
void arguments_help(void);
