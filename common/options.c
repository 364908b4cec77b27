#include "options.h"

#include "fail.h"
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_help(void)
{
    printf("usage: %s [options]\n"
           "Checks a few sizes, then times one and prints a table. --check: checks many sizes, in TAP.\n"
           "  --list                devices; --variants: of this step; --help, --version\n"
           "  --device N|NAME       number or part of a name from --list ($REDUCE_DEVICE)\n"
           "  --variant NAME|all    all skips what is not supported here\n"
           "  --op OP --type TYPE   sum, min, max; int, uint, float\n"
           "  --n N[,N...]          elements: 1000, 2^24, 16Mi (2^24)\n"
           "  --sweep FROM..TO      every power of two, as in 2^10..2^26\n"
           "  --group W[,W...]      work-items of a group; --groups G: groups of the launch\n"
           "  --subgroups WHICH     intel, khr, local; local:8 stands in with 8 lanes\n"
           "  --reps R --seconds S  repeat until both are met (5, 0.3)\n"
           "  --limit-seconds S     leave out rows that would take longer (30)\n"
           "  --seed S              of the data (1)\n"
           "  --warm                no cold cache; --evict BYTES: written in between (last-level cache)\n"
           "  --out DIR             data files for gnuplot\n"
           "  --kernel FILE         judge this kernel in place of the variant's own\n"
           "  --force               run what is known to be wrong\n"
           "exit status: 0 right, 1 wrong result, 2 usage or set-up, 77 not supported here\n",
           program_name);
}

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

static uint64_t number(const char *option, const char *text, uint64_t least)
{
    uint64_t value;
    const char *rest = text;
    if (!read_number(&rest, &value) || *rest || value < least)
        fail("--%s %s: must be a number such as 1000, 2^24 or 16Mi, at least %llu", option, text,
             (unsigned long long)least);
    return value;
}

static struct numbers numbers(const char *option, const char *text)
{
    struct numbers list = { .count = 0 };
    for (const char *rest = text;; rest++) {
        if (list.count == LIST || !read_number(&rest, &list.value[list.count]) || list.value[list.count] < 1 ||
            (*rest && *rest != ','))
            fail("--%s %s: must be numbers of at least 1, such as 1000 or 2^20,16Mi (%d at most)", option, text, LIST);
        list.count++;
        if (!*rest)
            return list;
    }
}

static struct numbers sweep(const char *text)
{
    struct numbers list = { .count = 0 };
    const char *rest = text;
    uint64_t from = 0, to = 0;
    bool valid = read_number(&rest, &from) && strncmp(rest, "..", 2) == 0;
    rest += valid ? 2 : 0;
    if (!valid || !read_number(&rest, &to) || *rest || from < 1 || from > to)
        fail("--sweep %s: must be FROM..TO, as in 2^10..2^26", text);
    for (uint64_t n = 1; n && n <= to; n *= 2) // every power of two in between
        if (n >= from)
            list.value[list.count++] = n;
    if (list.count == 0)
        fail("--sweep %s: there is no power of two in between", text);
    return list;
}

static double seconds(const char *option, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0) || isinf(value))
        fail("--%s %s: must be seconds, such as 0.5", option, text);
    return value;
}

static void remember_command(struct options *options, int argc, char **argv)
{
    size_t length = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--out") == 0) { // a folder's name says nothing about the numbers
            i++;
            continue;
        }
        if (strncmp(argv[i], "--out=", 6) != 0 && length < sizeof options->command - 1)
            length += (size_t)snprintf(options->command + length, sizeof options->command - length, "%s%s",
                                       length ? " " : "", argv[i]);
    }
    for (char *c = options->command; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
}

struct options options_parse(int argc, char **argv)
{
    enum {
        LIST_DEVICES = 1,
        VARIANTS,
        HELP,
        VERSION,
        DEVICE,
        VARIANT,
        OP,
        TYPE,
        N,
        GROUP,
        GROUPS,
        SUBGROUPS,
        REPS,
        SECONDS,
        LIMIT_SECONDS,
        SEED,
        WARM,
        EVICT,
        CHECK,
        SWEEP,
        OUT,
        KERNEL,
        FORCE
    };
    static const struct option known[] = {
        { "list", no_argument, NULL, LIST_DEVICES },
        { "variants", no_argument, NULL, VARIANTS },
        { "help", no_argument, NULL, HELP },
        { "version", no_argument, NULL, VERSION },
        { "device", required_argument, NULL, DEVICE },
        { "variant", required_argument, NULL, VARIANT },
        { "op", required_argument, NULL, OP },
        { "type", required_argument, NULL, TYPE },
        { "n", required_argument, NULL, N },
        { "group", required_argument, NULL, GROUP },
        { "groups", required_argument, NULL, GROUPS },
        { "subgroups", required_argument, NULL, SUBGROUPS },
        { "reps", required_argument, NULL, REPS },
        { "seconds", required_argument, NULL, SECONDS },
        { "limit-seconds", required_argument, NULL, LIMIT_SECONDS },
        { "seed", required_argument, NULL, SEED },
        { "warm", no_argument, NULL, WARM },
        { "evict", required_argument, NULL, EVICT },
        { "check", no_argument, NULL, CHECK },
        { "sweep", required_argument, NULL, SWEEP },
        { "out", required_argument, NULL, OUT },
        { "kernel", required_argument, NULL, KERNEL },
        { "force", no_argument, NULL, FORCE },
        { NULL, 0, NULL, 0 },
    };
    struct options options = { .repetitions = 5, .seconds = 0.3, .limit_seconds = 30, .seed = 1 };

    remember_command(&options, argc, argv);
    opterr = 0; // our own message, in the same form as all others
    for (int option, index = 0; optind < argc;) {
        const char *word = argv[optind];
        option = getopt_long(argc, argv, "", known, &index);
        if (option == -1)
            break;
        if (option == '?')
            fail("%s: no such option, or something is missing behind it; --help lists them", word);
        const char *name = known[index].name;
        switch (option) {
        case LIST_DEVICES: options.list = true; break;
        case VARIANTS: options.variants = true; break;
        case HELP: options.help = true; break;
        case VERSION: options.version = true; break;
        case DEVICE: options.device = optarg; break;
        case VARIANT: options.variant = optarg; break;
        case OP: options.op = optarg; break;
        case TYPE: options.type = optarg; break;
        case N: options.n = numbers(name, optarg); break;
        case SWEEP: options.n = sweep(optarg); break;
        case GROUP: options.group = numbers(name, optarg); break;
        case GROUPS: options.groups = number(name, optarg, 1); break;
        case SUBGROUPS: options.sub_groups = optarg; break;
        case REPS: {
            uint64_t value = number(name, optarg, 1);
            options.repetitions = value < 3 ? 3 : value > 4096 ? 4096 : (int)value;
            options.repetitions_given = true;
            break;
        }
        case SECONDS: options.seconds = seconds(name, optarg); break;
        case LIMIT_SECONDS: options.limit_seconds = seconds(name, optarg); break;
        case SEED: options.seed = (uint32_t)number(name, optarg, 0); break;
        case WARM: options.warm = true; break;
        case EVICT: options.evict = number(name, optarg, 0), options.evict_given = true; break;
        case CHECK: options.check = true; break;
        case OUT: options.out = optarg; break;
        case KERNEL: options.kernel = optarg; break;
        case FORCE: options.force = true; break;
        }
    }
    if (optind < argc)
        fail("'%s' is not an option: --help lists them", argv[optind]);
    if (options.n.count == 0 && !options.check)
        options.n = (struct numbers) { { UINT64_C(1) << 24 }, 1 };
    return options;
}
