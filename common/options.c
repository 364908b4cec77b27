/* Reading the command line. Every option is one row of the table in options_parse: its form, its
 * place, its help. getopt_long finds the words; the numbers are read here, because 2^24 and 16Mi
 * are how people say sizes.
 */
#include "options.h"

#include "fail.h"
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FLAG, TEXT, NUMBER, NUMBERS, SWEEP, SECONDS };

/* One row for each option: its name, what stands behind it, where that goes, and its line of help.
 */
struct known {
    const char *name;
    enum kind kind;
    void *to;
    uint64_t least;
    const char *argument, *help;
};

/* 1000, 2^24, 16Ki, 16Mi, 1Gi. Moves *text behind the number. */
static bool read_number(const char **text, uint64_t *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    if (errno)
        return false;
    if (*end == '^') {
        const char *digits = end + 1;
        unsigned long power = strtoul(digits, &end, 10);
        if (*number != 2 || *digits < '0' || *digits > '9' || power > 63)
            return false;
        *number = UINT64_C(1) << power;
    } else if (*end && strchr("KMG", *end) && end[1] == 'i') {
        int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
        if (*number > UINT64_MAX >> shift)
            return false;
        *number <<= shift;
        end += 2;
    }
    *text = end;
    return true;
}

/* Each of these reads one form, to its last character, or fails with what would have been right. */
static uint64_t number(const struct known *option, const char *text)
{
    uint64_t value;
    const char *rest = text;
    if (!read_number(&rest, &value) || *rest || value < option->least)
        fail("--%s %s: must be a number such as 1000, 2^24 or 16Mi, at least %" PRIu64,
             option->name, text, option->least);
    return value;
}

static struct numbers numbers(const struct known *option, const char *text)
{
    struct numbers list = { .count = 0 };
    for (const char *rest = text;; rest++) {
        if (list.count == LIST || !read_number(&rest, &list.value[list.count]) ||
            list.value[list.count] < option->least || (*rest && *rest != ','))
            fail("--%s %s: must be numbers such as 1000 or 2^20,16Mi, each at least %" PRIu64
                 ", at most %d of them",
                 option->name, text, option->least, LIST);
        list.count++;
        if (!*rest)
            return list;
    }
}

static struct numbers sweep(const struct known *option, const char *text)
{
    struct numbers list = { .count = 0 };
    const char *rest = text;
    uint64_t from = 0, to = 0;
    bool valid = read_number(&rest, &from) && strncmp(rest, "..", 2) == 0;
    rest += valid ? 2 : 0;
    valid = valid && read_number(&rest, &to) && !*rest;
    for (uint64_t n = 1; valid && n && n <= to; n *= 2)
        if (n >= from)
            list.value[list.count++] = n;
    if (list.count == 0)
        fail("--%s %s: must be FROM..TO with a power of two in between, as in 2^10..2^26",
             option->name, text);
    return list;
}

static double seconds(const struct known *option, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0) || isinf(value) || isspace((unsigned char)*text))
        fail("--%s %s: must be seconds, such as 0.5", option->name, text);
    return value;
}

/* Puts the text behind an option where its row says. */
static void take(const struct known *option, const char *text)
{
    switch (option->kind) {
    case FLAG: *(bool *)option->to = true; break;
    case TEXT: *(const char **)option->to = text; break;
    case NUMBER:
        *(struct numbers *)option->to = (struct numbers) { { number(option, text) }, 1 };
        break;
    case NUMBERS: *(struct numbers *)option->to = numbers(option, text); break;
    case SWEEP: *(struct numbers *)option->to = sweep(option, text); break;
    case SECONDS: *(double *)option->to = seconds(option, text); break;
    }
}

static void print_help(const struct known *known)
{
    printf("usage: %s [options]\n"
           "Checks a few sizes, times one (2^24 elements, sum of int), prints a table.\n",
           program_name);
    for (; known->name; known++)
        printf("  --%s%s%-*s %s\n", known->name, *known->argument ? " " : "",
               20 - (int)strlen(known->name) - (*known->argument != '\0'), known->argument,
               known->help);
    printf("exit status: 0 right, 1 wrong result, 2 usage or set-up, 77 not supported here\n");
}

/* For the header of data files; a folder's name says nothing about the numbers in it. */
static void remember_command(struct options *options, int argc, char **argv)
{
    size_t length = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--out") == 0)
            i++;
        else if (strncmp(argv[i], "--out=", 6) != 0 && length < sizeof options->command)
            length += (size_t)snprintf(options->command + length, sizeof options->command - length,
                                       "%s%s", length ? " " : "", argv[i]);
    }
    for (char *c = options->command; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
}

struct options options_parse(int argc, char **argv)
{
    struct options options = { .repetitions = { { 5 }, 0 },
                               .seconds = 0.3,
                               .limit_seconds = 30,
                               .timeout = -1,
                               .seed = { { 1 }, 0 } };
    const struct known known[] = {
        { "list", FLAG, &options.list, 0, "", "the devices; with --device the one that is meant" },
        { "facts", FLAG, &options.facts, 0, "",
          "of the chosen device, for scripts: key=value lines" },
        { "variants", FLAG, &options.variants, 0, "",
          "of this step, with their names in the articles" },
        { "help", FLAG, &options.help, 0, "", "this text" },
        { "version", FLAG, &options.version, 0, "", "of the program" },
        { "device", TEXT, &options.device, 0, "N|NAME",
          "a number or part of a name from --list ($REDUCE_DEVICE)" },
        { "variant", TEXT, &options.variant, 0, "NAME|all",
          "all leaves out what is not supported here" },
        { "op", TEXT, &options.op, 0, "OP", "sum, min, max, argmin, argmax, hash" },
        { "type", TEXT, &options.type, 0, "TYPE", "int, uint, long, ulong, float, double" },
        { "n", NUMBERS, &options.n, 1, "N[,N...]", "elements: 1000, 2^24, 16Mi" },
        { "sweep", SWEEP, &options.n, 1, "FROM..TO", "a row for each power of two" },
        { "group", NUMBERS, &options.group, 1, "W[,W...]", "work-items of a group" },
        { "groups", NUMBER, &options.groups, 1, "G", "groups of the launch" },
        { "width", NUMBERS, &options.width, 1, "V[,V...]", "elements of one load: 1, 2, 4, 8, 16" },
        { "subgroups", TEXT, &options.sub_groups, 0, "WHICH",
          "intel, khr, nvidia, local; local:8: 8 lanes" },
        { "reps", NUMBER, &options.repetitions, 3, "R", "repeat as often (5) ..." },
        { "seconds", SECONDS, &options.seconds, 0, "S", "... and as long (0.3)" },
        { "limit-seconds", SECONDS, &options.limit_seconds, 0, "S",
          "leave out rows that would take longer (30)" },
        { "timeout", SECONDS, &options.timeout, 0, "S",
          "give up on a kernel that runs longer (100)" },
        { "seed", NUMBER, &options.seed, 0, "S", "of the data (1)" },
        { "uniform", FLAG, &options.uniform, 0, "",
          "floats between 0 and 1: how exact is their sum?" },
        { "warm", FLAG, &options.warm, 0, "", "leave the cache warm between repetitions" },
        { "evict", NUMBER, &options.evict, 0, "BYTES",
          "written in between (the last-level cache's size)" },
        { "check", FLAG, &options.check, 0, "",
          "check many sizes, group sizes, operators; print TAP" },
        { "races", FLAG, &options.races, 0, "",
          "let Oclgrind look for races, reads of what nobody wrote" },
        { "out", TEXT, &options.out, 0, "DIR", "write data files for gnuplot" },
        { "kernel", TEXT, &options.kernel, 0, "FILE",
          "judge this kernel in place of the variant's own" },
        { "force", FLAG, &options.force, 0, "", "run what is known to come out wrong" },
        { NULL, FLAG, NULL, 0, NULL, NULL },
    };
    enum { KNOWN = sizeof known / sizeof *known };
    struct option long_options[KNOWN];
    for (int i = 0; i < KNOWN; i++)
        long_options[i] =
            (struct option) { known[i].name,
                              known[i].kind == FLAG ? no_argument : required_argument, NULL, 0 };

    remember_command(&options, argc, argv);
    opterr = 0; // our own message, in the same form as all others
    while (optind < argc) {
        int index = 0;
        const char *word = argv[optind ? optind : 1]; // 0: getopt_long is to begin anew
        if (getopt_long(argc, argv, "", long_options, &index) != 0)
            fail("%s: no such option, or nothing behind it where something must be; --help lists "
                 "them",
                 word);
        size_t length = strlen(known[index].name);
        if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, known[index].name, length) != 0 ||
            (word[2 + length] && word[2 + length] != '='))
            fail("%s: say --%s in full", word, known[index].name);
        take(&known[index], optarg);
    }
    if (options.help)
        print_help(known);
    if (options.timeout < 0) // not given: a row that may take longer may do so
        options.timeout = fmax(100, options.limit_seconds);
    if (options.timeout < 1)
        fail("--timeout %g: must be at least 1 s", options.timeout);
    if (options.kernel && !*options.kernel)
        fail("--kernel: must name a file");
    if (options.n.count == 0 && !options.check && !options.races)
        options.n = (struct numbers) { { UINT64_C(1) << 24 }, 1 };
    return options;
}
