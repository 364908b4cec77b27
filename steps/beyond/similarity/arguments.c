/* One row of a table for each option. */
#include "arguments.h"

#include "fail.h"
#include "options.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct known {
    const char *name, *argument, *help;
} known[] = {
    { "n", "N[,N...]", "rows and columns: 1000, 2^10 (1024)" },
    { "matrix", "WHICH", "hilbert, random, or a file in Matrix Market's format (hilbert)" },
    { "stop", "TEST", "bounds: max - min <= tolerance * max; article: neighbours (bounds)" },
    { "tolerance", "T", "of the stop test (bounds 1e-5, article 1e-3)" },
    { "max-rounds", "R", "give up after so many (1000)" },
    { "version", "NAME|all", "v0, v1, v2, ours, two_pass: ours without its fused pass (ours)" },
    { "seed", "S", "of the random matrix (1)" },
    { "variants", "", "the versions, with their names in the article" },
    { "group", "W", "work-items of a group" },
    { "subgroups", "WHICH", "intel, khr, nvidia, local[:8]" },
    { "device", "N|NAME", "number or part of a name ($REDUCE_DEVICE)" },
    { "list", "", "the devices; with --device the one that is meant" },
    { "out", "DIR", "write data files for gnuplot" },
    { "check", "", "check all versions with known answers; print TAP" },
    { "help", "", "this text" },
};
enum { KNOWN = sizeof known / sizeof *known, OWN = 7 }; // the first ones: what --check has itself

static _Noreturn void refuse(const char *option, const char *text, const char *right)
{
    fail("--%s %s: must be %s", option, text, right);
}

static uint64_t one_number(const char *option, const char *text, uint64_t most, const char *right)
{
    const char *at = text;
    uint64_t value;
    if (!read_number("", &at, &value) || *at || value > most ||
        (value == 0 && strcmp(option, "seed") != 0))
        refuse(option, text, right);
    return value;
}

static void take_sizes(struct arguments *a, const char *text)
{
    const char *at = text;
    for (a->sizes = 0; a->sizes == 0 || *at; a->sizes++) {
        uint64_t n;
        if (a->sizes == SIZES || !read_number(a->sizes ? "," : "", &at, &n) || n == 0 ||
            n > UINT64_C(1) << 30)
            refuse("n", text, "numbers from 1 to 2^30, such as 1000 or 2^10,2^11");
        a->n[a->sizes] = n;
    }
}

static double tolerance(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value > 0 && value < 1e30))
        refuse("tolerance", text, "a number above 0, such as 1e-5");
    return value;
}

static void take(struct arguments *a, const char *option, const char *text)
{
    if (strcmp(option, "n") == 0)
        take_sizes(a, text);
    else if (strcmp(option, "matrix") == 0)
        a->matrix = text;
    else if (strcmp(option, "stop") == 0) {
        a->article_stop = strcmp(text, "article") == 0;
        if (!a->article_stop && strcmp(text, "bounds") != 0)
            refuse(option, text, "article or bounds");
    } else if (strcmp(option, "tolerance") == 0)
        a->tolerance = tolerance(text);
    else if (strcmp(option, "max-rounds") == 0)
        a->most_rounds = one_number(option, text, 1000000, "a number from 1 to 1000000");
    else if (strcmp(option, "version") == 0)
        a->version = text;
    else if (strcmp(option, "seed") == 0)
        a->seed = one_number(option, text, UINT32_MAX, "a number below 2^32");
    else if (strcmp(option, "group") == 0)
        a->group = one_number(option, text, 1 << 20, "a number of work-items");
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

struct arguments arguments_parse(int argc, char **argv)
{
    struct arguments a = { .most_rounds = 1000, .seed = 1 };
    struct option words[KNOWN + 1] = { { NULL } };
    for (int i = 0; i < KNOWN; i++)
        words[i] = (struct option) { known[i].name, *known[i].argument != 0, NULL, i };
    const char *own = NULL; // given, and --check has it itself
    opterr = 0;             // our own message, in the same form as all others
    while (optind < argc) {
        const char *word = argv[optind];
        const int i = getopt_long(argc, argv, "", words, NULL);
        if (i < 0 || i == '?')
            fail("%s: no such option, or a value is missing or too many; --help lists them", word);
        take(&a, known[i].name, optarg ? optarg : "");
        if (i < OWN || strcmp(known[i].name, "out") == 0)
            own = known[i].name;
    }
    const bool file =
        a.matrix && strcmp(a.matrix, "hilbert") != 0 && strcmp(a.matrix, "random") != 0;
    if (file && a.sizes)
        fail("--n: the file says how large its matrix is");
    if (a.check && own)
        fail("--check has its own matrices, sizes, versions and stop tests: --%s is of no use "
             "there",
             own);
    if (!a.sizes)
        a.n[a.sizes++] = 1024;
    return a;
}

void arguments_help(void)
{
    printf(
        "usage: %s [options]\n"
        "The largest eigenvalue of a matrix without negative entries, by similarity transforms.\n",
        program_name);
    for (int i = 0; i < KNOWN; i++)
        printf("  --%s %-*s %s\n", known[i].name, 19 - (int)strlen(known[i].name),
               known[i].argument, known[i].help);
    printf("exit status: 0 right, 1 wrong or not converged, 2 usage or set-up, "
           "77 not supported here\n");
}
