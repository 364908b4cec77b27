#include "arguments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arguments given; // that parse_arguments() is reading
static const char *tolerance;

static const struct known_option own_options[] = {
    { "n", "N[,N...]", "rows and columns: 1000, 2^10 (1024)", VALUE_LIST, &given.n, 1 },
    { "matrix", "WHICH", "hilbert, random, or a file in Matrix Market format (hilbert)", VALUE_TEXT,
      &given.matrix },
    { "stop", "TEST", "bounds: max - min <= tolerance * max; article: neighbours (bounds)",
      VALUE_TEXT, &given.stop },
    { "tolerance", "T", "of the stop test (bounds 1e-5, article 1e-3)", VALUE_TEXT, &tolerance },
    { "max-rounds", "R", "give up after so many (1000)", VALUE_NUMBER, &given.rounds_max, 1 },
    { "version", "NAME|all", "v0, v1, v2, ours, two_pass: ours without its fused pass (ours)",
      VALUE_TEXT, &given.version },
    { "seed", "S", "of the random matrix (1)", VALUE_NUMBER, &given.seed, 1 },
    { "variants", "", "the versions, with their names in the article", VALUE_NONE,
      &given.variants },
    { "group", "W", "work-items of a group", VALUE_NUMBER, &given.group_size, 1 },
    { "subgroups", "WHICH", "intel, khr, nvidia, local; or local:8 for 8 lanes", VALUE_TEXT,
      &given.sub_groups },
    { "device", "N|NAME", "number, part of a name, cpu or gpu ($REDUCE_DEVICE)", VALUE_TEXT,
      &given.device },
    { "list", "", "the devices; with --device only that device", VALUE_NONE, &given.list },
    { "out", "DIR", "write data files for gnuplot", VALUE_TEXT, &given.out },
    { "check", "", "check all versions against known results; print TAP", VALUE_NONE,
      &given.check },
    { "help", "", "this text", VALUE_NONE, &given.help },
    { NULL },
};

static const struct known_option *const lists[] = { own_options, NULL };

static double parse_tolerance(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value > 0 && value < 1e30))
        fail("--tolerance '%s': must be a number above 0, such as 1e-5", text);
    return value;
}

static void refuse_options_of_check(void)
{
    const struct {
        const char *name;
        bool is_given;
    } options[] = { { "n", given.n.count },     { "matrix", given.matrix },
                    { "stop", given.stop },     { "seed", given.seed },
                    { "tolerance", tolerance }, { "version", given.version },
                    { "out", given.out },       { "max-rounds", given.rounds_max } };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given)
            fail("--check has its own matrices, sizes, versions and stop tests, and writes no "
                 "data: --%s has no effect there",
                 options[i].name);
}

struct arguments parse_arguments(int argc, char **argv)
{
    parse_options(argc, argv, lists);
    for (int i = 0; i < given.n.count; i++)
        if (given.n.value[i] > 1 << 30)
            fail("--n '%" PRIu64 "': must be a number from 1 to 2^30", given.n.value[i]);
    if (given.n.count && given.matrix && strcmp(given.matrix, "hilbert") != 0 &&
        strcmp(given.matrix, "random") != 0)
        fail("--n: the size of this matrix is in its file");
    given.article_stop = given.stop && strcmp(given.stop, "article") == 0;
    if (given.stop && !given.article_stop && strcmp(given.stop, "bounds") != 0)
        fail("--stop '%s': must be article or bounds", given.stop);
    if (given.rounds_max > 1000000)
        fail("--max-rounds '%" PRIu64 "': must be a number from 1 to 1000000", given.rounds_max);
    if (tolerance)
        given.tolerance = parse_tolerance(tolerance);
    if (given.check)
        refuse_options_of_check();
    if (!given.n.count)
        given.n = (struct numbers) { { 1024 }, 1 };
    given.seed = given.seed ? given.seed : 1;
    given.rounds_max = given.rounds_max ? given.rounds_max : 1000;
    return given;
}

void print_arguments_help(void)
{
    print_options(
        "[options]\n"
        "The largest eigenvalue of a matrix without negative entries, by similarity transforms.\n",
        lists);
    printf("exit status: 0 right, 1 wrong or not converged, 2 usage or set-up, "
           "77 not supported here\n");
}
