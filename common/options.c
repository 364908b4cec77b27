/* Reading the command line. Every option is one row of the table in options_parse: its form, its
 * place, its help. getopt_long finds the words; the numbers are read here, because 2^24 and 16Mi
 * are how people say sizes.
 */
#include "options.h"

#include "fail.h"
#include "operations.h"
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FLAG, TEXT, NUMBER, NUMBERS, SWEEP, SECONDS };

/* One row for each option: its name, what stands behind it, its help, and where that goes. */
struct known {
    const char *name, *argument, *help;
    enum kind kind;
    void *to;
    uint64_t least;
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
static struct numbers numbers(const struct known *option, const char *text)
{
    const int most = option->kind == NUMBER ? 1 : LIST;
    struct numbers list = { .count = 0 };
    const char *rest = text;
    do {
        if (list.count == most || !read_number(&rest, &list.value[list.count]) ||
            list.value[list.count] < option->least || (*rest && *rest != ','))
            fail("--%s %s: must be %s at least %" PRIu64, option->name, text,
                 most == 1 ? "a number such as 1000, 2^24 or 16Mi,"
                           : "at most 64 numbers such as 1000 or 2^20,16Mi, each",
                 option->least);
        list.count++;
    } while (*rest++);
    return list;
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
        { "list", "", "the devices; with --device the one that is meant", FLAG, &options.list },
        { "facts", "", "of the chosen device, for scripts: key=value lines", FLAG, &options.facts },
        { "variants", "", "of this step, with their names in the articles", FLAG,
          &options.variants },
        { "help", "", "this text", FLAG, &options.help },
        { "version", "", "of the program", FLAG, &options.version },
        { "device", "N|NAME", "a number or part of a name from --list ($REDUCE_DEVICE)", TEXT,
          &options.device },
        { "variant", "NAME|all", "all leaves out what is not supported here", TEXT,
          &options.variant },
        { "op", "OP", operator_names(), TEXT, &options.op },
        { "type", "TYPE", type_names(NULL), TEXT, &options.type },
        { "n", "N[,N...]", "elements: 1000, 2^24, 16Mi", NUMBERS, &options.n, 1 },
        { "sweep", "FROM..TO", "a row for each power of two", SWEEP, &options.n, 1 },
        { "group", "W[,W...]", "work-items of a group", NUMBERS, &options.group, 1 },
        { "groups", "G", "groups of the launch", NUMBER, &options.groups, 1 },
        { "width", "V[,V...]", "elements of one load: 1, 2, 4, 8, 16", NUMBERS, &options.width, 1 },
        { "subgroups", "WHICH", "intel, khr, nvidia, local; local:8: 8 lanes", TEXT,
          &options.sub_groups },
        { "reps", "R", "repeat as often (5) ...", NUMBER, &options.repetitions, 3 },
        { "seconds", "S", "... and as long (0.3)", SECONDS, &options.seconds },
        { "limit-seconds", "S", "leave out rows that would take longer (30)", SECONDS,
          &options.limit_seconds },
        { "timeout", "S", "give up on a kernel that runs longer (100)", SECONDS, &options.timeout },
        { "seed", "S", "of the data (1)", NUMBER, &options.seed },
        { "uniform", "", "floats between 0 and 1: how exact is their sum?", FLAG,
          &options.uniform },
        { "warm", "", "leave the cache warm between repetitions", FLAG, &options.warm },
        { "evict", "BYTES", "written in between (the last-level cache's size)", NUMBER,
          &options.evict },
        { "check", "", "check many sizes, group sizes, operators; print TAP", FLAG,
          &options.check },
        { "races", "", "let Oclgrind look for races, reads of what nobody wrote", FLAG,
          &options.races },
        { "out", "DIR", "write data files for gnuplot", TEXT, &options.out },
        { "kernel", "FILE", "judge this kernel in place of the variant's own", TEXT,
          &options.kernel },
        { "force", "", "run what is known to come out wrong", FLAG, &options.force },
        { .name = NULL },
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
    for (int i = 0; i < options.width.count; i++)
        if (options.width.value[i] > 16 || options.width.value[i] & (options.width.value[i] - 1))
            fail("--width %" PRIu64 ": must be 1, 2, 4, 8 or 16", options.width.value[i]);
    if (options.kernel && !*options.kernel)
        fail("--kernel: must name a file");
    if (options.n.count == 0 && !options.check && !options.races)
        options.n = (struct numbers) { { UINT64_C(1) << 24 }, 1 };
    return options;
}
