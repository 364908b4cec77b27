/* The command line of step 12. Words that it shares with the other steps mean the same. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SIZES_MAX = 32 };

struct arguments {
    bool check, list, help, variants, article_stop;
    const char *device, *sub_groups, *matrix, *version, *out; // NULL: not given
    uint64_t n[SIZES_MAX], group_size, seed, rounds_max;
    int size_count;
    double tolerance; // 0: not given
};

/* Fails, saying what would be right, if a word means nothing. */
struct arguments parse_arguments(int argc, char **argv);
void print_arguments_help(void);
