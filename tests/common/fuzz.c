/* Feeds random command lines to the harness, all in one process: fuzz SEED COUNT. The harness must
 * accept each of them or refuse it with exit status 0, 1, 2 or 77. It must read accepted numbers
 * as an independent parser reads them.
 *
 * common/ is compiled with -Dexit=come_back, so a refusal returns to this program. The test runs
 * without any OpenCL device, so nothing is computed; and no process is started. The program is
 * linked twice: step_main() is that of a step, or that of a judge. */
#include "../common/device.c"

#include "back_end.h"
#include "options.h"
#include "step.h"
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

enum { WORDS = 8, LENGTH = 6000 };

static jmp_buf back;
static uint64_t state;
static char words[WORDS][LENGTH];
static int word_count;
static FILE *real_stderr; // stderr itself is /dev/null while the harness prints its messages

_Noreturn void come_back(int status) { longjmp(back, status + 1000); }

static uint32_t random_below(uint32_t limit) // xorshift: the same on every machine
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)((state >> 16) % limit);
}

/* Prints the command line that caused the failure. */
static void show_words(void)
{
    for (int i = 1; i < word_count; i++) {
        fputs(" '", real_stderr);
        for (const char *c = words[i]; *c; c++)
            fprintf(real_stderr, *c >= ' ' && *c <= '~' && *c != '\'' ? "%c" : "\\x%02x",
                    (unsigned char)*c);
        fputs("'", real_stderr);
    }
    fputs("\n", real_stderr);
}

static void report_death(int number) // by a sanitizer, by must(), or by a crash
{
    fputs("the command line was:", real_stderr);
    show_words();
    signal(number, SIG_DFL);
    raise(number);
}

static void must(bool is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(real_stderr, "broken: %s\n", what);
    abort();
}

/* These two replace functions of the judge, which would start processes: see fuzz.t. */
int __wrap_supervise(struct request *request, int (*work)(struct request *request))
{
    must(request->variants[0], "a request without a variant");
    must(request->options->timeout >= 0, "a negative --timeout");
    return work(request);
}

int __wrap_find_races(struct request *request, int (*work)(struct request *request))
{
    return __wrap_supervise(request, work);
}

/* ---- making command lines: plausible words with a few random changes */
static const char *const names[] = {
    "list",  "variants",  "help",          "version", "device", "variant", "op",
    "type",  "n",         "sweep",         "group",   "groups", "reps",    "seconds",
    "seed",  "warm",      "evict",         "check",   "out",    "kernel",  "force",
    "races", "subgroups", "limit-seconds", "facts",   "width",  "timeout", "tap"
};
static const char *const texts[] = {
    "1000",
    "2^24",
    "16Mi",
    "1Ki,2^3,7",
    "2^10..2^26",
    "0",
    "-1",
    "18446744073709551615",
    "2^64",
    "2^63",
    "17179869184Gi",
    "0.5",
    "1e300",
    "nan",
    "inf",
    "0x10",
    "sum",
    "argmin",
    "float",
    "int",
    "all",
    "first",
    "local:8",
    "khr",
    "nvidia:32",
    "intel",
    "..",
    ",",
    "pocl",
    "results",
    "a b.cl",
    "18446744073709551616",
    "",
    "%s%n%x",
    "--",
    "1..18446744073709551615",
    "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"
};

static void bend(char *word)
{
    static const char odd[] = "0123456789^KMGi,.-+=eExX: %\t\n\"\\\x80\xff";
    size_t length = strlen(word), at = random_below((uint32_t)length + 1);
    char one = odd[random_below(sizeof odd - 1)];
    switch (random_below(7)) {
    case 0: // another character
        if (at < length)
            word[at] = one;
        break;
    case 1: // an inserted character
        if (length + 1 < LENGTH)
            memmove(word + at + 1, word + at, length - at + 1), word[at] = one;
        break;
    case 2: // a removed character
        if (at < length)
            memmove(word + at, word + at + 1, length - at);
        break;
    case 3: word[at] = '\0'; break; // cut
    case 4:                         // repeated
        if (2 * length < LENGTH)
            memmove(word + length, word, length), word[2 * length] = '\0';
        break;
    case 5: // a list of two
        if (2 * length + 1 < LENGTH)
            memmove(word + length + 1, word, length), word[length] = ',',
                                                      word[2 * length + 1] = '\0';
        break;
    default: // one character many times, but rarely
        if (random_below(50) == 0) {
            size_t times = random_below((uint32_t)(LENGTH - 1 - length));
            memmove(word + at + times, word + at, length - at + 1);
            memset(word + at, one, times);
        }
    }
}

static void make_words(void)
{
    word_count = 1;
    snprintf(words[0], LENGTH, "step");
    for (uint32_t options = random_below(4); options > 0 && word_count + 1 < WORDS; options--) {
        const char *name = names[random_below(sizeof names / sizeof *names)];
        const char *text = texts[random_below(sizeof texts / sizeof *texts)];
        char *first = words[word_count++], *second = words[word_count];
        switch (random_below(8)) {
        case 0: snprintf(first, LENGTH, "--%s", name); break;
        case 1: snprintf(first, LENGTH, "%s", text); break;
        case 2: snprintf(first, LENGTH, "--%s=%s", name, text); break;
        case 3: snprintf(first, LENGTH, "-%s", name); break;
        case 4: // a list of about the longest length that is allowed
            snprintf(first, LENGTH, "--n");
            for (uint32_t i = 0, many = NUMBERS_MAX - 4 + random_below(8); i < many; i++)
                snprintf(second + 2 * i, 3, "%d%s", random_below(500) ? 7 : 0,
                         i + 1 < many ? "," : "");
            word_count++;
            break;
        default:
            snprintf(first, LENGTH, "--%s", name);
            snprintf(second, LENGTH, "%s", text);
            for (uint32_t times = random_below(4); times > 0; times--)
                bend(second);
            word_count++;
        }
        if (random_below(8) == 0)
            bend(first);
    }
}

/* ---- checking what the harness has read */

/* Reads a number independently of options.c. Moves *text past it. */
static bool read_number_independently(const char **text, uint64_t *number)
{
    uint64_t power = 0;
    const char *c = *text;
    bool fits = *c >= '0' && *c <= '9';
    for (*number = 0; *c >= '0' && *c <= '9'; c++)
        fits = fits && !__builtin_mul_overflow(*number, (uint64_t)10, number) &&
               !__builtin_add_overflow(*number, (uint64_t)(*c - '0'), number);
    if (*c == '^') {
        fits = fits && *number == 2 && c[1] >= '0' && c[1] <= '9';
        for (c++; *c >= '0' && *c <= '9'; c++)
            power = power > 63 ? power : power * 10 + (uint64_t)(*c - '0');
        fits = fits && power <= 63;
        *number = fits ? UINT64_C(1) << power : 0;
    } else if ((*c == 'K' || *c == 'M' || *c == 'G') && c[1] == 'i') {
        uint64_t unit = *c == 'K' ? 1024 : *c == 'M' ? 1048576 : 1073741824;
        fits = fits && !__builtin_mul_overflow(*number, unit, number);
        c += 2;
    }
    *text = c;
    return fits;
}

/* Reads a list. Returns the count of its numbers, or -1. */
static int read_list_independently(const char *text, uint64_t list[NUMBERS_MAX])
{
    for (int i = 0; i < NUMBERS_MAX; i++, text++) {
        if (!read_number_independently(&text, &list[i]) || list[i] < 1 || (*text && *text != ','))
            return -1;
        if (!*text)
            return i + 1;
    }
    return -1;
}

/* Checks that the options are sane. If --n is the only option, its numbers must be right. */
static void judge_options(int status, const struct options *options)
{
    bool only_n = word_count == 3 && strcmp(words[1], "--n") == 0;
    uint64_t list[NUMBERS_MAX];
    int expected = only_n ? read_list_independently(words[2], list) : 0;
    must(status == 0 || status == 1 || status == 2 || status == 77, "exit status");
    must(!only_n || (status == 0) == (expected > 0),
         "--n: a valid list was refused, or an invalid one accepted");
    if (status != 0)
        return;
    must(!only_n || (options->n.count == expected &&
                     memcmp(options->n.value, list, sizeof *list * expected) == 0),
         "--n: the numbers differ from the given ones");
    must(options->n.count >= 0 && options->n.count <= NUMBERS_MAX &&
             options->group.count <= NUMBERS_MAX,
         "length of a list");
    for (int i = 0; i < options->n.count; i++)
        must(options->n.value[i] >= 1, "n = 0");
    must(options->repetitions >= 3 && options->seconds >= 0 && options->limit_seconds >= 0 &&
             isfinite(options->seconds) && isfinite(options->limit_seconds),
         "repetitions or seconds");
    must(!strchr(options->command, '\n'), "the command line for the data file");
}

/* Digits choose the device with this number. Other text must choose one of the devices. */
static void judge_device(const struct device devices[3], const char *wanted)
{
    int number = 0;
    if (*wanted && strspn(wanted, "0123456789") == strlen(wanted)) {
        for (const char *c = wanted; *c; c++)
            number = number > 3 ? number : number * 10 + *c - '0';
        for (int i = 0; i < 3; i++)
            must((distance_from(wanted, &devices[i]) == 0) == (number == i),
                 "--device: the number chooses another device");
    }
    const struct device *chosen = choose_device(devices, 3, wanted); // it may call exit()
    must(chosen >= devices && chosen < devices + 3, "--device: chooses none of the devices");
}

/* ---- four readers of a command line: the parser alone, a whole step, choose_back_end() and
 * choose_device() */
static void plan(struct reduction *reduction) { unsupported(reduction, "never reached"); }

static const struct variant variants[] = { { "first", "06_two_stage.cl", plan }, { NULL } };
static const struct step step = { 99, "fuzz", 0, variants };

static int attempt(int target, char **argv)
{
    static const struct known_option *const lists[] = { common_options, measuring_options, NULL };
    static struct options options; // static: longjmp() would lose changes to a local
    static const struct device devices[] = {
        { .name = "Portable [POCL] / cpu", .type = "CPU", .is_cpu = true },
        { .number = 1,
          .name = "Other [X] / Portable",
          .type = "GPU",
          .is_gpu = true,
          .sub_group_sizes = { 8, 16 } },
        { .number = 2, .name = "NVIDIA CUDA [NV] / H", .type = "GPU", .is_gpu = true, .nvidia = 9 },
    };
    int jumped = setjmp(back), status = jumped ? jumped - 1000 : 0;
    options = jumped ? options : (struct options) { .list = false };
    if (jumped == 0) {
        optind = 0; // getopt_long() begins again
        if (target == 0)
            options = parse_options(word_count, argv, lists);
        else if (target == 1)
            status = step_main(word_count, argv, &step);
        else if (target == 2)
            (void)choose_back_end(&devices[random_below(3)], argv[word_count - 1]);
        else
            judge_device(devices, argv[word_count - 1]);
    }
    if (target == 0)
        judge_options(status, &options);
    must(status == 0 || status == 1 || status == 2 || status == 77, "exit status");
    return status;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                   most = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    uint64_t done = 0, understood = 0;
    FILE *result = fdopen(dup(1), "w"), *null_file = fopen("/dev/null", "w");
    state = seed * 2654435761u + 88172645463325252u;
    signal(SIGABRT, report_death), signal(SIGSEGV, report_death);
    if (!result || !null_file || !freopen("/dev/null", "w", stdout))
        return 2;
    real_stderr = stderr;
    for (; done < most; done++) {
        char *given[WORDS + 1] = { NULL };
        make_words();
        for (int i = 0; i < word_count; i++)
            given[i] = words[i];
        stderr = null_file; // drops the message of a refusal
        const uint32_t aim = random_below(8);
        understood += attempt(aim < 4 ? 0 : aim < 6 ? 1 : aim == 6 ? 2 : 3, given) == 0;
        stderr = real_stderr;
    }
    fprintf(result, "seed %" PRIu64 ": %" PRIu64 " command lines, %" PRIu64 " understood\n", seed,
            done, understood);
    fclose(result), fclose(null_file);
    return 0;
}
