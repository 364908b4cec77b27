/* Every option is one row of a table: its argument, its help, where its value goes, and
 * which commands use it. getopt_long finds the words. The numbers are read here, because 2^24 and
 * 16Mi are how people write sizes. */
#include "options.h"

#include "control_characters.h"
#include "operations.h"
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

enum value_kind { VALUE_NONE, VALUE_TEXT, VALUE_NUMBER, VALUE_LIST, VALUE_SWEEP, VALUE_SECONDS };

struct option_row {
    const char *name, *argument, *help;
    enum value_kind kind;
    size_t place;   // of its value in struct options
    unsigned use;   // who makes use of it; 0: every command
    uint64_t least; // of its numbers
};

#define AT(field) offsetof(struct options, field)

static const struct option_row table[] = {
    { "list", "", "the devices; with --device the chosen one", VALUE_NONE, AT(list) },
    { "facts", "", "of the chosen device, for scripts: key=value", VALUE_NONE, AT(facts) },
    { "variants", "", "of this step, with their names in the articles", VALUE_NONE, AT(variants) },
    { "help", "", "this text", VALUE_NONE, AT(help) },
    { "version", "", "of the program", VALUE_NONE, AT(version) },
    { "device", "N|NAME", "number, part of a name, cpu or gpu ($REDUCE_DEVICE)", VALUE_TEXT,
      AT(device) },
    { "variant", "NAME|all", "all skips what this device does not support", VALUE_TEXT,
      AT(variant) },
    { "op", "OP", "the operator (sum)", VALUE_TEXT, AT(op) },
    { "type", "TYPE", "of the elements (int)", VALUE_TEXT, AT(type) },
    { "n", "N[,N...]", "elements: 1000, 2^24, 16Mi", VALUE_LIST, AT(n), 0, 1 },
    { "sweep", "FROM..TO", "a row for each power of two: 2^10..2^26", VALUE_SWEEP, AT(n), 0, 1 },
    { "group", "W[,W...]", "work-items of a group", VALUE_LIST, AT(group), USES_GROUP_SIZE, 1 },
    { "groups", "G", "groups of the launch", VALUE_NUMBER, AT(groups), USES_GROUPS, 1 },
    { "width", "V[,V...]", "elements per load: 1, 2, 4, 8, 16", VALUE_LIST, AT(width), USES_WIDTH,
      1 },
    { "subgroups", "WHICH", "the back end of sub-groups: see below", VALUE_TEXT, AT(sub_groups),
      USES_SUB_GROUPS },
    { "reps", "R", "repetitions, at least (5)", VALUE_NUMBER, AT(repetitions), USED_IN_TIMING, 3 },
    { "seconds", "S", "seconds to repeat, at least (0.3)", VALUE_SECONDS, AT(seconds) },
    { "limit-seconds", "S", "skip rows that would take longer (30)", VALUE_SECONDS,
      AT(limit_seconds) },
    { "timeout", "S", "end a kernel that runs longer (100)", VALUE_SECONDS, AT(timeout), 0, 1 },
    { "seed", "S", "of the data (1; --check: a new one each time)", VALUE_NUMBER, AT(seed),
      USED_FOR_DATA },
    { "warm", "", "leave the cache warm between repetitions", VALUE_NONE, AT(warm),
      USED_IN_TIMING },
    { "evict", "BYTES", "written to clear the cache (its size)", VALUE_NUMBER, AT(evict),
      USED_IN_TIMING, 16 }, // fewer bytes would leave the cache warm, because measure.c rounds down
    { "check", "", "check many sizes, group sizes, operators; print TAP", VALUE_NONE, AT(check) },
    { "races", "", "let Oclgrind look for races and uninitialized reads", VALUE_NONE, AT(races) },
    { "out", "DIR", "write data files for gnuplot", VALUE_TEXT, AT(out), USED_IN_TIMING },
    { "kernel", "FILE", "judge this kernel instead of the variant's own", VALUE_TEXT, AT(kernel),
      USES_KERNEL },
    { "force", "", "run what is known to give a wrong result", VALUE_NONE, AT(force) },
};
enum { OPTION_COUNT = sizeof table / sizeof *table };

/* ---- reading values */
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

/* Each of these reads the whole text, or returns false. */
static bool read_numbers(const struct option_row *option, const char *text, struct numbers *list)
{
    const bool is_single = option->kind == VALUE_NUMBER;
    const uint64_t most = is_single ? UINT32_MAX : UINT64_MAX;
    *list = (struct numbers) { .count = 0 }; // of an option that is given twice, the last counts
    for (; *text || list->count == 0; list->count++) {
        uint64_t *number = &list->value[list->count];
        if (list->count == (is_single ? 1 : NUMBERS_MAX) ||
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
    *list = (struct numbers) { .count = 0 };
    for (uint64_t n = 1; n && n <= to; n *= 2) // after 2^63 n overflows to 0
        if (n >= from)
            list->value[list->count++] = n;
    return list->count > 0;
}

/* Puts the value of an option where its row says. */
static void read_value(const struct option_row *option, const char *text, struct options *options)
{
    void *const place = (char *)options + option->place;
    char *end;
    double seconds;
    bool valid = true;
    const char *rest = text;
    while (isprint((unsigned char)*rest)) // letters of ASCII
        rest++;
    if (*rest && find_control_character(rest)) // it would change a message or a data file
        fail("--%s '%s': the value contains a control character, such as a newline", option->name,
             text);
    switch (option->kind) {
    case VALUE_NONE: *(bool *)place = true; break;
    case VALUE_TEXT: *(const char **)place = text; break;
    case VALUE_NUMBER:
    case VALUE_LIST: valid = read_numbers(option, text, place); break;
    case VALUE_SWEEP: valid = read_sweep(text, place); break;
    case VALUE_SECONDS:
        seconds = strtod(text, &end);
        valid =
            isdigit((unsigned char)*text) && !*end && isfinite(seconds) && seconds >= option->least;
        *(double *)place = seconds;
        break;
    }
    if (!valid)
        fail("--%s '%s' is not valid: %s must be at least %" PRIu64 "%s", option->name, text,
             option->argument, option->least,
             option->kind == VALUE_NUMBER    ? " and below 2^32"
             : option->kind == VALUE_SWEEP   ? ", as in 2^10..2^26"
             : option->kind == VALUE_SECONDS ? ", in seconds"
                                             : ", as in 1000, 2^24 or 16Mi");
}

void refuse_option(int found, const char *word)
{
    if (found == ':')
        fail("%s needs a value; --help shows which", word);
    if (optopt >= OPTION_VALUE) // getopt_long() knows this option
        fail("%s: this option takes no value; see --help", word);
    fail("%s: %s; --help lists the options", word,
         *word == '-' ? "no such option" : "an option begins with --");
}

bool is_given(const struct options *options, const char *name)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (options->given >> i & 1 && strcmp(table[i].name, name) == 0)
            return true;
    return false;
}

struct options parse_options(int argc, char **argv)
{
    static char *command; // of the last call
    size_t length = 0;    // of command
    struct options options = {
        .repetitions = { { 5 }, 0 }, .seconds = 0.3, .limit_seconds = 30, .seed = { { 1 }, 0 }
    };
    struct option long_options[OPTION_COUNT + 1] = { { NULL } };
    for (int i = 0; i < OPTION_COUNT; i++)
        long_options[i] =
            (struct option) { table[i].name, table[i].kind != VALUE_NONE, NULL, OPTION_VALUE + i };
    opterr = 0; // no message of getopt: ours has the form of all others
    // A test sets optind to 0: then getopt_long() begins again.
    while ((optind ? optind : 1) < argc) {
        const char *word = argv[optind ? optind : 1];
        const int found = getopt_long(argc, argv, ":", long_options, NULL);
        if (found < OPTION_VALUE)
            refuse_option(found, word);
        const int i = found - OPTION_VALUE;
        const char *text = optarg ? optarg : "";
        read_value(&table[i], text, &options);
        options.given |= UINT64_C(1) << i;
        if (table[i].place == AT(out)) // the name of the folder does not change the numbers in it
            continue;
        command = realloc(command, length + strlen(table[i].name) + strlen(text) + sizeof " -- ");
        if (!command)
            fail("the host has no memory left for the command line");
        length += (size_t)sprintf(command + length, "%s--%s%s%s", length ? " " : "", table[i].name,
                                  *text ? " " : "", text);
    }
    options.command = length ? command : "";
    for (int i = 0; i < options.width.count; i++)
        if (options.width.value[i] > 16 || options.width.value[i] & (options.width.value[i] - 1))
            fail("--width '%" PRIu64 "' is not valid: a width must be 1, 2, 4, 8 or 16",
                 options.width.value[i]);
    if (options.check && options.races)
        fail("--check and --races are two tasks: choose one");
    if (!options.timeout) // not given: a row that may take longer is allowed to
        options.timeout = fmax(100, options.limit_seconds);
    if (options.n.count == 0 && !options.check && !options.races)
        options.n = (struct numbers) { { UINT64_C(1) << 24 }, 1 };
    if (options.seed.count == 0 && options.check) // other data each time; the judge prints the seed
        options.seed.value[0] = (uint32_t)time(NULL) ^ (uint32_t)getpid() << 16;
    return options;
}

void print_help(void)
{
    printf("usage: %s [options]\n"
           "Checks a few sizes, times one (2^24 elements, sum of int), prints a table.\n",
           program_name);
    for (int i = 0; i < OPTION_COUNT; i++)
        printf("  --%s %-*s %s\n", table[i].name, 19 - (int)strlen(table[i].name),
               table[i].argument, table[i].help);
    printf("operators: %s\n", list_operation_names(NULL));
    printf("types: %s\n", list_operation_names(operations[0]->op)); // it has them all
    printf("sub-groups: %s (local:8 emulates 8 lanes)\n", back_end_names);
    printf("exit status: 0 right, 1 wrong result, 2 usage or set-up, 77 not supported here\n");
}

void refuse_unused_options(const struct options *options, unsigned uses, const char *user)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (options->given >> i & 1 && table[i].use & ~uses)
            fail("--%s has no effect on %s here: leave it out", table[i].name, user);
}

/* ---- what the options choose */
struct request choose_request(const struct step *step, const struct options *options)
{
    static char path[4096]; // "./" is for kernel.c: a file of this folder, not one of kernels/
    static struct geometry geometries[NUMBERS_MAX * NUMBERS_MAX];
    struct request request = { .step = step,
                               .options = options,
                               .geometries = geometries,
                               .seed = (uint32_t)options->seed.value[0] };
    const char *usual = options->check && !options->kernel ? "all" : step->variants->name,
               *name = options->variant ? options->variant : usual;
    int count = 0;
    for (const struct variant *variant = step->variants; variant->name; variant++) {
        if (strcmp(name, "all") != 0 && strcmp(name, variant->name) != 0)
            continue;
        if (count == VARIANTS_MAX)
            fail("%s has more than %d variants", step->name, VARIANTS_MAX);
        request.variants[count++] = variant;
    }
    if (count == 0)
        fail("--variant '%s': no such variant; --variants lists them", name);

    const struct operation *only = step->operation;
    const char *op = options->op, *type = options->type;
    if (only && ((op && strcmp(op, only->op) != 0) || (type && strcmp(type, only->type) != 0)))
        fail("--op, --type: %s has %s of %s only", step->name, only->op, only->type);
    if (!only && op && !find_operation(op, NULL))
        fail("--op '%s': the operator must be one of %s", op, list_operation_names(NULL));
    if (!only && type && !find_operation(NULL, type))
        fail("--type '%s': the type must be one of %s", type,
             list_operation_names(operations[0]->op));
    request.operations[0] = only;
    count = 0;
    for (int i = 0; !only && operations[i] && count < (options->check ? OPERATIONS_MAX : 1); i++)
        if ((!op || strcmp(operations[i]->op, op) == 0) &&
            (!type || strcmp(operations[i]->type, type) == 0))
            request.operations[count++] = operations[i];

    for (int g = 0; g == 0 || g < options->group.count; g++)
        for (int w = 0; w == 0 || w < options->width.count; w++)
            geometries[request.geometry_count++] =
                (struct geometry) { .group_size = options->group.value[g],
                                    .groups = options->groups.value[0],
                                    .width = (int)options->width.value[w] };
    if (options->kernel && snprintf(path, sizeof path, "%s%s", *options->kernel == '/' ? "" : "./",
                                    options->kernel) >= (int)sizeof path)
        fail("--kernel: no file has a path of %zu characters", strlen(options->kernel));
    request.first = (struct problem) { request.variants[0],
                                       request.operations[0],
                                       .n = options->n.value[0],
                                       .geometry = geometries[0],
                                       .kernel_file = options->kernel ? path : NULL,
                                       .sub_groups = options->sub_groups,
                                       .force = options->force };
    return request;
}
