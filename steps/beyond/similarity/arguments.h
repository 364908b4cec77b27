/* The command line of step 12. An option that other steps have too means the same here. */
#pragma once

#include "options.h"

struct arguments { // 0 or NULL: not given, unless there is a default
    bool check, list, help, variants, article_stop;
    const char *device, *sub_groups, *matrix, *stop, *version, *out;
    struct numbers n;
    uint64_t group_size, seed, rounds_max;
    double tolerance;
};

/* Fails if an option or its value is not valid. The message says which values are valid. */
struct arguments parse_arguments(int argc, char **argv);
void print_arguments_help(void);
