/* The command line of step 12. An option that other steps have too means the same here. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SIZES_MAX = 32 };

struct arguments {
    bool check, list, help, variants, article_stop;
    const char *device, *sub_groups, *matrix, *version, *out; // NULL if not given
    uint64_t n[SIZES_MAX], group_size, seed, rounds_max;
    int size_count;
    double tolerance; // 0 if not given
};

/* Fails if an option or its value is not valid. The message says which values are valid. */
struct arguments parse_arguments(int argc, char **argv);
void print_arguments_help(void);
