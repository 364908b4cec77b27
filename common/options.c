/* Reading the command line. Every option is one row of a table: what stands behind it, its help,
 * where its value goes, who uses it. getopt_long finds the words; the numbers are read here,
 * because 2^24 and 16Mi are how people say sizes.
 */
#include "options.h"

#include "fail.h"
#include "operations.h"
#include "plan.h"
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum kind { FLAG, TEXT, NUMBER, NUMBERS, SWEEP, SECONDS };

struct known {
    const char *name, *argument, *help;
    enum kind kind;
    size_t place;   // of its value, in struct options
    unsigned use;   // who has use for it, where not all have
    uint64_t least; // of its numbers
};

#define AT(field) offsetof(struct options, field)

static const struct known known[] = {
    { "list", "", "the devices; with --device the one that is meant", FLAG, AT(list) },
    { "facts", "", "of the chosen device, for scripts: key=value lines", FLAG, AT(facts) },
    { "variants", "", "of this step, with their names in the articles", FLAG, AT(variants) },
    { "help", "", "this text", FLAG, AT(help) },
    { "version", "", "of the program", FLAG, AT(version) },
    { "device", "N|NAME", "number or part of a name ($REDUCE_DEVICE)", TEXT, AT(device) },
    { "variant", "NAME|all", "all leaves out what is not supported here", TEXT, AT(variant) },
    { "op", "OP", "the operator (sum)", TEXT, AT(op) },
    { "type", "TYPE", "of the elements (int)", TEXT, AT(type) },
    { "n", "N[,N...]", "elements: 1000, 2^24, 16Mi", NUMBERS, AT(n), 0, 1 },
    { "sweep", "FROM..TO", "a row for each power of two: 2^10..2^26", SWEEP, AT(n), 0, 1 },
    { "group", "W[,W...]", "work-items of a group", NUMBERS, AT(group), ASKED_GROUP, 1 },
    { "groups", "G", "groups of the launch", NUMBER, AT(groups), ASKED_GROUPS, 1 },
    { "width", "V[,V...]", "elements a load: 1, 2, 4, 8, 16", NUMBERS, AT(width), ASKED_WIDTH, 1 },
    { "subgroups", "WHICH", "how sub-groups are done, of those below", TEXT, AT(sub_groups),
      ASKED_LANES },
    { "reps", "R", "repetitions, or more (5) ...", NUMBER, AT(repetitions), TIMING, 3 },
    { "seconds", "S", "... for so long, or longer (0.3)", SECONDS, AT(seconds) },
    { "limit-seconds", "S", "leave out rows that take longer (30)", SECONDS, AT(limit_seconds) },
    { "timeout", "S", "give up on a kernel that runs longer (100)", SECONDS, AT(timeout), 0, 1 },
    { "seed", "S", "of the data (1; --check: a new one each time)", NUMBER, AT(seed), DATA },
    { "uniform", "", "floats between 0 and 1: how exact is their sum?", FLAG, AT(uniform), DATA },
    { "warm", "", "leave the cache warm between repetitions", FLAG, AT(warm), TIMING },
    { "evict", "BYTES", "written in between (last-level cache's size)", NUMBER, AT(evict), TIMING },
    { "check", "", "check many sizes, group sizes, operators; print TAP", FLAG, AT(check) },
    { "races", "", "let Oclgrind look for races, reads of what nobody wrote", FLAG, AT(races) },
    { "out", "DIR", "write data files for gnuplot", TEXT, AT(out), TIMING },
    { "kernel", "FILE", "judge this one, not the variant's own", TEXT, AT(kernel), ASKED_KERNEL },
    { "force", "", "run what is known to come out wrong", FLAG, AT(force) },
};
enum { KNOWN = sizeof known / sizeof *known };

bool read_number(const char *prefix, const char **text, uint64_t *number)
{
    const size_t skipped = strlen(prefix);
    char *end;
    unsigned long shift = 0;
    if (strncmp(*text, prefix, skipped) != 0 || !isdigit((unsigned char)(*text)[skipped]))
        return false;
    errno = 0;
    *number = strtoull(*text + skipped, &end, 10);
    if (*number == 2 && *end == '^' && isdigit((unsigned char)end[1])) {
        *number = 1;
        shift = strtoul(end + 1, &end, 10);
    } else if (*end && strchr("KMG", *end) && end[1] == 'i') {
        shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
        end += 2;
    }
    if (errno || shift > 63 || *number > UINT64_MAX >> shift)
        return false;
    *number <<= shift;
    *text = end;
    return true;
}

/* Each of these reads one form, to its last character. */
static bool read_numbers(const struct known *option, const char *text, struct numbers *list)
{
    const bool one = option->kind == NUMBER;
    const uint64_t most = one ? UINT32_MAX : UINT64_MAX;
    for (list->count = 0; *text || list->count == 0; list->count++) {
        uint64_t *number = &list->value[list->count];
        if (list->count == (one ? 1 : LIST) ||
            !read_number(list->count ? "," : "", &text, number) || *number < option->least ||
            *number > most)
            return false;
    }
    return true;
}

static bool read_sweep(const char *text, struct numbers *list)
{
    uint64_t from, to;
    if (!read_number("", &text, &from) || !read_number("..", &text, &to) || *text)
        return false;
    list->count = 0;
    for (uint64_t n = 1; n && n <= to; n *= 2) // 0 comes after 2^63
        if (n >= from)
            list->value[list->count++] = n;
    return list->count > 0;
}

static bool read_seconds(const struct known *option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return isdigit((unsigned char)*text) && !*end && isfinite(*value) && *value >= option->least;
}

/* Puts the text behind an option where its row says. */
static void take(const struct known *option, const char *text, struct options *options)
{
    void *const place = (char *)options + option->place;
    bool valid = !strchr(text, '\n'); // it may become a line of a data file
    switch (option->kind) {
    case FLAG: *(bool *)place = true; break;
    case TEXT: *(const char **)place = text; break;
    case NUMBER:
    case NUMBERS: valid = read_numbers(option, text, place); break;
    case SWEEP: valid = read_sweep(text, place); break;
    case SECONDS: valid = read_seconds(option, text, place); break;
    }
    if (!valid)
        fail("--%s %s: must be %s, at least %" PRIu64 "%s: %s", option->name, text,
             option->argument, option->least, option->kind == NUMBER ? ", below 2^32" : "",
             option->help);
}

struct options options_parse(int argc, char **argv)
{
    struct options options = {
        .repetitions = { { 5 }, 0 }, .seconds = 0.3, .limit_seconds = 30, .seed = { { 1 }, 0 }
    };
    struct option long_options[KNOWN + 1] = { { NULL } };
    for (int i = 0; i < KNOWN; i++)
        long_options[i] = (struct option) { known[i].name, known[i].kind != FLAG, NULL, i };
    opterr = 0; // our own message, in the same form as all others
    while (optind < argc) {
        const char *word = argv[optind ? optind : 1]; // 0: getopt_long is to begin anew
        const int i = getopt_long(argc, argv, "", long_options, NULL);
        if (i < 0 || i == '?')
            fail("%s: no such option, or a value is missing or too many; --help lists them", word);
        const char *text = optarg ? optarg : "";
        const size_t length = strlen(options.command);
        take(&known[i], text, &options);
        options.given |= UINT64_C(1) << i;
        if (known[i].place != AT(out)) // a folder's name says nothing about the numbers in it
            snprintf(options.command + length, sizeof options.command - length, "%s--%s%s%s",
                     length ? " " : "", known[i].name, *text ? " " : "", text);
    }
    for (int i = 0; i < options.width.count; i++)
        if (options.width.value[i] > 16 || options.width.value[i] & (options.width.value[i] - 1))
            fail("--width %" PRIu64 ": must be 1, 2, 4, 8 or 16", options.width.value[i]);
    if (options.timeout == 0) // not given: a row that may take longer may do so
        options.timeout = fmax(100, options.limit_seconds);
    if (options.n.count == 0 && !options.check && !options.races)
        options.n = (struct numbers) { { UINT64_C(1) << 24 }, 1 };
    if (options.seed.count == 0 && options.check) // other data each time: check.c says which
        options.seed.value[0] = (uint32_t)time(NULL) ^ (uint32_t)getpid() << 16;
    options.words = argv; // last, as getopt_long sorts them
    return options;
}

void options_help(void)
{
    printf("usage: %s [options]\n"
           "Checks a few sizes, times one (2^24 elements, sum of int), prints a table.\n",
           program_name);
    for (int i = 0; i < KNOWN; i++)
        printf("  --%s %-*s %s\n", known[i].name, 19 - (int)strlen(known[i].name),
               known[i].argument, known[i].help);
    printf("operators: %s\n", operation_names(NULL));
    printf("types: %s\n", operation_names(operations[0]->op)); // it has them all
    printf("sub-groups: %s\n", back_ends);
    printf("exit status: 0 right, 1 wrong result, 2 usage or set-up, 77 not supported here\n");
}

void options_refuse(const struct options *options, unsigned uses, const char *who)
{
    for (int i = 0; i < KNOWN; i++)
        if (options->given >> i & 1 && known[i].use & ~uses)
            fail("--%s: %s has no use for it here", known[i].name, who);
}
