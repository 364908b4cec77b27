/* Every option is described once, in a list: its argument, its help, and where its value goes.
 * getopt_long() finds the words. The numbers are read here, because 2^24 and 16Mi are how people
 * write sizes. */
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

/* getopt_long() returns this number plus the index of the option. It is above all characters. */
enum { OPTION_VALUE = 256 };
enum { OPTIONS_MAX = 60 }; // of all lists of a program

static struct options options; // that parse_options() is reading

const struct known_option common_options[] = {
    { "list", "", "the devices; with --device the chosen one", VALUE_NONE, &options.list },
    { "facts", "", "of the chosen device, for scripts: key=value", VALUE_NONE, &options.facts },
    { "variants", "", "of this step, with their names in the articles", VALUE_NONE,
      &options.variants },
    { "help", "", "this text", VALUE_NONE, &options.help },
    { "version", "", "of the program", VALUE_NONE, &options.version },
    { "device", "N|NAME", "number, part of a name, cpu or gpu ($REDUCE_DEVICE)", VALUE_TEXT,
      &options.device },
    { "variant", "NAME|all", "all skips what this device does not support", VALUE_TEXT,
      &options.variant },
    { "op", "OP", "the operator (sum; in a judge: all)", VALUE_TEXT, &options.op },
    { "type", "TYPE", "of the elements (int; in a judge: all)", VALUE_TEXT, &options.type },
    { "n", "N[,N...]", "elements: 1000, 2^24, 16Mi", VALUE_LIST, &options.n, 1 },
    { "sweep", "FROM..TO", "each power of two: 2^10..2^26", VALUE_SWEEP, &options.n, 1 },
    { "group", "W[,W...]", "work-items of a group", VALUE_LIST, &options.group, 1 },
    { "groups", "G", "groups of the launch", VALUE_NUMBER, &options.groups, 1 },
    { "width", "V[,V...]", "elements per load: 1, 2, 4, 8, 16", VALUE_LIST, &options.width, 1 },
    { "subgroups", "WHICH", "the back end of sub-groups: see below", VALUE_TEXT,
      &options.sub_groups },
    { "timeout", "S", "end a kernel that runs longer (100)", VALUE_SECONDS, &options.timeout, 1 },
    { "seed", "S", "of the data", VALUE_NUMBER, &options.seed, 1 },
    { "force", "", "run what is known to give a wrong result", VALUE_NONE, &options.force },
    { NULL },
};

const struct known_option measuring_options[] = {
    { "reps", "R", "repetitions, at least (5; 3 if slow)", VALUE_NUMBER, &options.repetitions, 3 },
    { "seconds", "S", "seconds to repeat, at least (0.3)", VALUE_SECONDS, &options.seconds },
    { "limit-seconds", "S", "skip rows that would take longer (30)", VALUE_SECONDS,
      &options.limit_seconds },
    { "warm", "", "leave the cache warm between repetitions", VALUE_NONE, &options.warm },
    // fewer bytes would leave the cache warm, because they are rounded down to whole vectors
    { "evict", "BYTES", "written to clear the cache (its size)", VALUE_NUMBER, &options.evict, 16 },
    { "out", "DIR", "write data files for gnuplot", VALUE_TEXT, &options.out },
    { "kernel", "FILE", "measure this kernel instead of the variant's own", VALUE_FILE,
      &options.kernel },
    { NULL },
};

/* ---- reading values */
/* Reads 1000, 2^24, 16Ki, 16Mi or 1Gi after a prefix, and moves *text past it. */
static bool read_number(const char *prefix, const char **text, uint64_t *number)
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
static bool read_list(const struct known_option *option, const char *text, struct numbers *list)
{
    *list = (struct numbers) { .count = 0 }; // of an option that is given twice, the last counts
    for (; *text || list->count == 0; list->count++) {
        uint64_t *number = &list->value[list->count];
        if (list->count == NUMBERS_MAX || !read_number(list->count ? "," : "", &text, number) ||
            *number < option->least)
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

/* Without a folder, a name would mean a file of kernels/. The name may begin with a dot. */
static const char *name_path(const char *file)
{
    enum { LONGEST = 4095 }; // of a path on Linux
    if (strlen(file) > LONGEST)
        fail("no file has a path of %zu characters", strlen(file));
    if (*file == '/' || strncmp(file, "./", 2) == 0 || strncmp(file, "../", 3) == 0)
        return file;
    char *path = allocate(strlen(file) + sizeof "./"); // until the program ends
    sprintf(path, "./%s", file);
    return path;
}

/* Puts the value of an option into its place. */
static void read_value(const struct known_option *option, const char *text)
{
    void *const place = option->place;
    char *end;
    double seconds;
    bool valid = true;
    const char *rest = text;
    while (isprint((unsigned char)*rest)) // letters of ASCII
        rest++;
    if (*rest && find_control_character(rest)) // it would change a message or a data file
        fail("--%s '%s': the value contains a control character, such as a newline", option->name,
             text);
    rest = text;
    switch (option->kind) {
    case VALUE_NONE: *(bool *)place = true; break;
    case VALUE_TEXT: *(const char **)place = text; break;
    case VALUE_FILE: *(const char **)place = name_path(text); break;
    case VALUE_NUMBER:
        valid = read_number("", &rest, place) && !*rest && *(uint64_t *)place >= option->least &&
                *(uint64_t *)place <= UINT32_MAX;
        break;
    case VALUE_LIST: valid = read_list(option, text, place); break;
    case VALUE_SWEEP: valid = read_sweep(text, place); break;
    case VALUE_SECONDS:
        seconds = strtod(text, &end);
        valid =
            isdigit((unsigned char)*text) && !*end && isfinite(seconds) && seconds >= option->least;
        *(double *)place = seconds;
        break;
    case VALUE_WORD:
        if (*(const char **)place)
            fail("%s: one %s is enough; %s is given already", text, option->argument,
                 shown_name(*(const char **)place));
        *(const char **)place = name_path(text);
        break;
    case VALUE_MOVED: fail("%s%s: %s", *option->name ? "--" : text, option->name, (char *)place);
    }
    if (!valid)
        fail("--%s '%s' is not valid: %s must be at least %" PRIu64 "%s", option->name, text,
             option->argument, option->least,
             option->kind == VALUE_NUMBER    ? " and below 2^32"
             : option->kind == VALUE_SWEEP   ? ", as in 2^10..2^26"
             : option->kind == VALUE_SECONDS ? ", in seconds"
                                             : ", as in 1000, 2^24 or 16Mi");
}

/* Fails: `word` is no option, or has no value, or has one too many. `found` is what getopt_long()
 * has returned for it, and it knows the options `known`. */
static _Noreturn void refuse_option(int found, const char *word, const struct option *known)
{
    const size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0; // of the name
    if (!*word)
        fail("an argument is empty: is a variable of the shell not set? --help lists the options");
    if (found == ':')
        fail("%s needs a value; --help shows which", word);
    if (optopt >= OPTION_VALUE) // getopt_long() knows this option
        fail("%s: this option takes no value; see --help", word);
    for (; length && known->name; known++)
        if (strncmp(word + 2, known->name, length) == 0)
            fail("%s: several options may begin like this: write the whole name; --help lists them",
                 word);
    fail("%s: %s; --help lists the options", word,
         *word == '-' ? "no such option" : "an option begins with --");
}

struct options parse_options(int argc, char **argv, const struct known_option *const *lists)
{
    static char *command; // of the last call
    size_t length = 0;    // of command
    const struct known_option *known[OPTIONS_MAX + 1], *lone_word = NULL;
    struct option long_options[OPTIONS_MAX + 1] = { { NULL } }; // the first of a name counts
    int count = 0;
    bool measures = false;
    options = (struct options) { .seconds = 0.3, .limit_seconds = 30 };
    for (; *lists; lists++) {
        measures |= *lists == measuring_options;
        for (const struct known_option *option = *lists; option->name; option++) {
            const bool has_value = option->kind != VALUE_NONE && option->kind != VALUE_MOVED;
            if (count == OPTIONS_MAX)
                fail("the program has more than %d options", OPTIONS_MAX);
            if (!*option->name) {
                lone_word = option;
                continue;
            }
            long_options[count] =
                (struct option) { option->name, has_value, NULL, OPTION_VALUE + count };
            known[count++] = option;
        }
    }
    opterr = 0; // no message of getopt: ours has the form of all others
    // A test sets optind to 0: then getopt_long() begins again.
    while ((optind ? optind : 1) < argc) {
        const char *word = argv[optind ? optind : 1];
        // "-": a word that stands alone is found where it stands, not moved past the options
        const int found = getopt_long(argc, argv, "-:", long_options, NULL);
        const bool is_word = found == 1 && lone_word && *word; // that stands alone
        if (found < OPTION_VALUE && !is_word)
            refuse_option(found, word, long_options);
        const struct known_option *option = is_word ? lone_word : known[found - OPTION_VALUE];
        const char *text = optarg ? optarg : "";
        read_value(option, text);
        // the name of the folder does not change the numbers in it
        if (option->place == &options.out)
            continue;
        command = realloc(command, length + strlen(option->name) + strlen(text) + sizeof " -- ");
        if (!command)
            fail("the host has no memory left for the command line");
        length += (size_t)sprintf(command + length, "%s--%s%s%s", length ? " " : "", option->name,
                                  *text ? " " : "", text);
    }
    options.command = length ? command : "";
    options.is_question =
        options.help || options.version || options.list || options.variants || options.facts;
    options.may_end_early = !options.repetitions;
    if (!options.repetitions)
        options.repetitions = 5;
    options.has_usual_timeout = !options.timeout;
    if (!options.timeout) // a row that may take longer is allowed to
        options.timeout = fmax(100, options.limit_seconds);
    if (measures && options.n.count == 0)
        options.n = (struct numbers) { { UINT64_C(1) << 24 }, 1 };
    if (options.seed == 0) // rows are always measured on the same data
        options.seed = measures ? 1 : (uint32_t)time(NULL) ^ (uint32_t)getpid() << 16;
    return options;
}

/* The first option of a name counts. */
static const struct known_option *find_option(const struct known_option *const *lists,
                                              const char *name)
{
    for (;; lists++)
        for (const struct known_option *option = *lists; option->name; option++)
            if (strcmp(option->name, name) == 0)
                return option;
}

void print_options(const char *usage, const struct known_option *const *lists)
{
    printf("usage: %s %s", program_name, usage);
    for (const struct known_option *const *list = lists; *list; list++)
        for (const struct known_option *option = *list; option->name; option++)
            if (*option->help && option == find_option(lists, option->name))
                printf("  --%s %-*s %s\n", option->name, 19 - (int)strlen(option->name),
                       option->argument, option->help);
}

void print_help(const char *usage, const struct known_option *const *lists)
{
    print_options(usage, lists);
    printf("operators: %s\n", list_operation_names(NULL));
    printf("types: %s\n", list_operation_names(operations[0]->op)); // it has them all
    printf("sub-groups: %s (local:8 emulates 8 lanes)\n", back_end_names);
    printf("exit status: 0 right, 1 wrong result, 2 usage or set-up, 77 not supported here\n");
}

/* ---- what the options choose */
enum status report_missing_operation(const struct options *given)
{
    fprintf(stderr, "%s: there is no %s of %s; its types are %s\n", program_name, given->op,
            given->type, list_operation_names(given->op));
    return STATUS_UNSUPPORTED;
}

struct request choose_request(const struct step *step, const struct options *given, bool all)
{
    static struct geometry geometries[NUMBERS_MAX * NUMBERS_MAX];
    struct request request = {
        .step = step, .options = given, .geometries = geometries, .seed = (uint32_t)given->seed
    };
    const char *name = given->variant ? given->variant : all ? "all" : step->variants->name;
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
    const char *op = given->op, *type = given->type;
    if (only && ((op && strcmp(op, only->op) != 0) || (type && strcmp(type, only->type) != 0)))
        fail("--op, --type: %s has %s of %s only", step->name, only->op, only->type);
    if (!only && op && !find_operation(op, NULL))
        fail("--op '%s': the operator must be one of %s", op, list_operation_names(NULL));
    if (!only && type && !find_operation(NULL, type))
        fail("--type '%s': the type must be one of %s", type,
             list_operation_names(operations[0]->op));
    request.operations[0] = only;
    count = 0;
    for (int i = 0; !only && operations[i] && count < (all ? OPERATIONS_MAX : 1); i++)
        if ((!op || strcmp(operations[i]->op, op) == 0) &&
            (!type || strcmp(operations[i]->type, type) == 0))
            request.operations[count++] = operations[i];

    for (int i = 0; i < given->width.count; i++)
        if (given->width.value[i] > 16 || given->width.value[i] & (given->width.value[i] - 1))
            fail("--width '%" PRIu64 "' is not valid: a width must be 1, 2, 4, 8 or 16",
                 given->width.value[i]);
    if (given->warm && given->evict)
        fail("--warm leaves the cache warm, but --evict clears it: choose one of them");
    for (int g = 0; g == 0 || g < given->group.count; g++)
        for (int w = 0; w == 0 || w < given->width.count; w++)
            geometries[request.geometry_count++] =
                (struct geometry) { .group_size = given->group.value[g],
                                    .groups = given->groups,
                                    .width = (int)given->width.value[w] };
    request.first = (struct problem) {
        request.variants[0],       request.operations[0],           .n = given->n.value[0],
        .geometry = geometries[0], .sub_groups = given->sub_groups, .force = given->force
    };
    return request;
}

void replace_kernels(struct request *request, const char *file)
{
    static struct variant replaced[VARIANTS_MAX];
    for (int v = 0; request->variants[v]; v++) {
        if (!request->variants[v]->kernel)
            fail("%s has no effect on %s, which is a loop on the host: leave the kernel out",
                 shown_name(file), request->variants[v]->name);
        replaced[v] = *request->variants[v];
        replaced[v].kernel = file;
        request->variants[v] = &replaced[v];
    }
    request->first.variant = request->variants[0];
}
