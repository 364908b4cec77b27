#include "arguments.h"

#include "control_characters.h"
#include "fail.h"
#include "options.h"
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct row { // one row for each option
    const char *name, *argument, *help;
    bool is_refused_by_check;
} table[] = {
    { "n", "N[,N...]", "rows and columns: 1000, 2^10 (1024)", true },
    { "matrix", "WHICH", "hilbert, random, or a file in Matrix Market format (hilbert)", true },
    { "stop", "TEST", "bounds: max - min <= tolerance * max; article: neighbours (bounds)", true },
    { "tolerance", "T", "of the stop test (bounds 1e-5, article 1e-3)", true },
    { "max-rounds", "R", "give up after so many (1000)", true },
    { "version", "NAME|all", "v0, v1, v2, ours, two_pass: ours without its fused pass (ours)",
      true },
    { "seed", "S", "of the random matrix (1)", true },
    { "variants", "", "the versions, with their names in the article" },
    { "group", "W", "work-items of a group" },
    { "subgroups", "WHICH", "intel, khr, nvidia, local; or local:8 for 8 lanes" },
    { "device", "N|NAME", "number, part of a name, cpu or gpu ($REDUCE_DEVICE)" },
    { "list", "", "the devices; with --device only that device" },
    { "out", "DIR", "write data files for gnuplot", true },
    { "check", "", "check all versions against known results; print TAP" },
    { "help", "", "this text" },
};
enum { ROWS = sizeof table / sizeof *table };

static _Noreturn void refuse(const char *option, const char *text, const char *right)
{
    fail("--%s '%s': must be %s", option, text, right);
}

static uint64_t parse_number(const char *option, const char *text, uint64_t least, uint64_t most,
                             const char *right)
{
    const char *at = text;
    uint64_t value;
    if (!read_number("", &at, &value) || *at || value < least || value > most)
        refuse(option, text, right);
    return value;
}

static void parse_sizes(struct arguments *a, const char *text)
{
    const char *at = text;
    for (a->size_count = 0; a->size_count == 0 || *at; a->size_count++) {
        uint64_t n;
        if (a->size_count == SIZES_MAX || !read_number(a->size_count ? "," : "", &at, &n) ||
            n == 0 || n > UINT64_C(1) << 30)
            refuse("n", text, "numbers from 1 to 2^30, such as 1000 or 2^10,2^11");
        a->n[a->size_count] = n;
    }
}

static double parse_tolerance(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value > 0 && value < 1e30))
        refuse("tolerance", text, "a number above 0, such as 1e-5");
    return value;
}

static void parse_option(struct arguments *a, const char *option, const char *text)
{
    if (strcmp(option, "n") == 0)
        parse_sizes(a, text);
    else if (strcmp(option, "matrix") == 0)
        a->matrix = text;
    else if (strcmp(option, "stop") == 0) {
        a->article_stop = strcmp(text, "article") == 0;
        if (!a->article_stop && strcmp(text, "bounds") != 0)
            refuse(option, text, "article or bounds");
    } else if (strcmp(option, "tolerance") == 0)
        a->tolerance = parse_tolerance(text);
    else if (strcmp(option, "max-rounds") == 0)
        a->rounds_max = parse_number(option, text, 1, 1000000, "a number from 1 to 1000000");
    else if (strcmp(option, "version") == 0)
        a->version = text;
    else if (strcmp(option, "seed") == 0)
        a->seed = parse_number(option, text, 0, UINT32_MAX, "a number below 2^32");
    else if (strcmp(option, "group") == 0)
        a->group_size = parse_number(option, text, 1, 1 << 20, "a number of work-items");
    else if (strcmp(option, "subgroups") == 0)
        a->sub_groups = text;
    else if (strcmp(option, "device") == 0)
        a->device = text;
    else if (strcmp(option, "out") == 0)
        a->out = text;
    a->list |= strcmp(option, "list") == 0;
    a->check |= strcmp(option, "check") == 0;
    a->help |= strcmp(option, "help") == 0;
    a->variants |= strcmp(option, "variants") == 0;
}

struct arguments parse_arguments(int argc, char **argv)
{
    struct arguments a = { .rounds_max = 1000, .seed = 1 };
    struct option words[ROWS + 1] = { { NULL } };
    for (int i = 0; i < ROWS; i++)
        words[i] =
            (struct option) { table[i].name, *table[i].argument != 0, NULL, OPTION_VALUE + i };
    const char *refused_by_check = NULL; // the last option of this kind
    opterr = 0;                          // otherwise getopt_long() would print a message of its own
    while (optind < argc) {
        const char *word = argv[optind];
        const int found = getopt_long(argc, argv, ":", words, NULL);
        const struct row *row = table;
        if (found >= OPTION_VALUE)
            row += found - OPTION_VALUE;
        else
            refuse_option(found, word);
        if (optarg && find_control_character(optarg)) // it would change a line of ours
            refuse(row->name, optarg, "a text without control characters");
        parse_option(&a, row->name, optarg ? optarg : "");
        if (row->is_refused_by_check)
            refused_by_check = row->name;
    }
    const bool is_file =
        a.matrix && strcmp(a.matrix, "hilbert") != 0 && strcmp(a.matrix, "random") != 0;
    if (is_file && a.size_count)
        fail("--n: the size of this matrix is in its file");
    if (a.check && refused_by_check)
        fail("--check has its own matrices, sizes, versions and stop tests, and writes no data: "
             "--%s has no effect there",
             refused_by_check);
    if (!a.size_count)
        a.n[a.size_count++] = 1024;
    return a;
}

void print_arguments_help(void)
{
    printf(
        "usage: %s [options]\n"
        "The largest eigenvalue of a matrix without negative entries, by similarity transforms.\n",
        program_name);
    for (int i = 0; i < ROWS; i++)
        printf("  --%s %-*s %s\n", table[i].name, 19 - (int)strlen(table[i].name),
               table[i].argument, table[i].help);
    printf("exit status: 0 right, 1 wrong or not converged, 2 usage or set-up, "
           "77 not supported here\n");
}
