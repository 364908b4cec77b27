/* Throws command lines at the harness, in one process: fuzz SEED COUNT. Each must be understood or
 * refused with exit 0, 1, 2 or 77, and what is understood must mean what an independent reading of
 * it means. common/ is compiled with -Dexit=come_back, so that a refusal comes back here. No OpenCL
 * device may be found: then all that can be said without one is said, and no more; and no process
 * is started. */
#include "../../common/device.c"

#include "back_end.h"
#include "check/races.h"
#include "check/watch.h"
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
static FILE *loud; // standard error; what the harness says there goes nowhere

_Noreturn void come_back(int status) { longjmp(back, status + 1000); }

static uint32_t random_below(uint32_t limit) // xorshift: the same on every machine
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)((state >> 16) % limit);
}

/* What the words were, for whoever has to find out why. */
static void show_words(void)
{
    for (int i = 1; i < word_count; i++) {
        fputs(" '", loud);
        for (const char *c = words[i]; *c; c++)
            fprintf(loud, *c >= ' ' && *c <= '~' && *c != '\'' ? "%c" : "\\x%02x",
                    (unsigned char)*c);
        fputs("'", loud);
    }
    fputs("\n", loud);
}

static void died(int number) // of a sanitizer's finding, or by itself
{
    fputs("the command line was:", loud);
    show_words();
    signal(number, SIG_DFL);
    raise(number);
}

static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(loud, "broken: %s\n", what);
    abort();
}

/* In the place of races.c and watch.c: a command line is read and refused as ever, but starts no
 * further process. */

int races(struct session *session, int (*work)(void *session))
{
    (void)work;
    must(session->options->races && session->variants[0],
         "--races that nobody asked for, or of nothing");
    return EXIT_UNSUPPORTED;
}

int watched(struct session *session, int (*work)(void *session))
{
    must(session->options->timeout >= 0, "a negative --timeout");
    return work(session);
}

/* ---- making them: what people write, bent in a few places */
static const char *const names[] = {
    "list",  "variants",  "help",          "version", "device", "variant", "op",
    "type",  "n",         "sweep",         "group",   "groups", "reps",    "seconds",
    "seed",  "uniform",   "warm",          "evict",   "check",  "out",     "kernel",
    "force", "subgroups", "limit-seconds", "races",   "facts",  "timeout", "width"
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
    case 1: // one more
        if (length + 1 < LENGTH)
            memmove(word + at + 1, word + at, length - at + 1), word[at] = one;
        break;
    case 2: // one less
        if (at < length)
            memmove(word + at, word + at + 1, length - at);
        break;
    case 3: word[at] = '\0'; break; // cut
    case 4:                         // twice
        if (2 * length < LENGTH)
            memmove(word + length, word, length), word[2 * length] = '\0';
        break;
    case 5: // a list of it
        if (2 * length + 1 < LENGTH)
            memmove(word + length + 1, word, length), word[length] = ',',
                                                      word[2 * length + 1] = '\0';
        break;
    default: // a long run of one character, now and then
        if (random_below(50) == 0) {
            size_t run = random_below((uint32_t)(LENGTH - 1 - length));
            memmove(word + at + run, word + at, length - at + 1);
            memset(word + at, one, run);
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
        case 4: // about as many numbers as a list may have
            snprintf(first, LENGTH, "--n");
            for (uint32_t i = 0, many = LIST - 4 + random_below(8); i < many; i++)
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

/* ---- what they must mean */

/* A number, read anew. Moves *text behind it. */
static bool number_again(const char **text, uint64_t *number)
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

/* A list read anew: how many numbers, or -1. */
static int list_again(const char *text, uint64_t list[LIST])
{
    for (int i = 0; i < LIST; i++, text++) {
        if (!number_again(&text, &list[i]) || list[i] < 1 || (*text && *text != ','))
            return -1;
        if (!*text)
            return i + 1;
    }
    return -1;
}

/* Sane whatever was asked; and exactly right where --n is all that was. */
static void judge(int status, const struct options *options)
{
    bool only_n = word_count == 3 && strcmp(words[1], "--n") == 0;
    uint64_t list[LIST];
    int expected = only_n ? list_again(words[2], list) : 0;
    must(status == 0 || status == 1 || status == 2 || status == 77, "exit status");
    must(!only_n || (status == 0) == (expected > 0),
         "--n: refused what is right, or took what is wrong");
    if (status != 0)
        return;
    must(!only_n || (options->n.count == expected &&
                     memcmp(options->n.value, list, sizeof *list * expected) == 0),
         "--n: another number than what was written");
    must(options->n.count >= 0 && options->n.count <= LIST && options->group.count <= LIST,
         "length of a list");
    for (int i = 0; i < options->n.count; i++)
        must(options->n.value[i] >= 1, "n = 0");
    must(options->repetitions.value[0] >= 3 && options->seconds >= 0 &&
             options->limit_seconds >= 0 && isfinite(options->seconds) &&
             isfinite(options->limit_seconds),
         "repetitions or seconds");
    must(memchr(options->command, '\0', sizeof options->command) && !strchr(options->command, '\n'),
         "the command line that goes into the data");
}

/* Digits are a number of the list, or nothing; what is no number names one of them. */
static void judge_device(const struct device devices[3], const char *wanted)
{
    int number = 0;
    if (*wanted && strspn(wanted, "0123456789") == strlen(wanted)) {
        for (const char *c = wanted; *c; c++)
            number = number > 3 ? number : number * 10 + *c - '0';
        for (int i = 0; i < 3; i++)
            must((distance(&devices[i], wanted) == 0) == (number == i),
                 "--device: another than the number says");
    }
    const struct device *chosen = choose(devices, 3, wanted); // or this refuses
    must(chosen >= devices && chosen < devices + 3, "none of the devices");
}

/* ---- where they go: the parser alone, a whole step, a back end, a device */
static bool no_plan(struct run *run) { return unsupported(run, "never gets here"); }

static const struct variant variants[] = { { "first", "06_two_stage.cl", no_plan }, { NULL } };
static const struct step step = { 99, "fuzz", 0, variants };

static int attempt(int target, char **argv)
{
    static struct options options; // of setjmp's function, and changed after it: not on the stack
    static const struct device devices[] = {
        { .name = "Portable [POCL] / cpu", .cpu = true },
        { .number = 1, .name = "Other [X] / Portable", .gpu = true, .sub_group_sizes = { 8, 16 } },
        { .number = 2, .name = "NVIDIA CUDA [NV] / H", .gpu = true, .nvidia = 9 },
    };
    int jumped = setjmp(back), status = jumped ? jumped - 1000 : 0;
    options = jumped ? options : (struct options) { .list = false };
    if (jumped == 0) {
        optind = 0; // getopt's way of starting afresh
        if (target == 0)
            options = options_parse(word_count, argv);
        else if (target == 1)
            status = step_main(word_count, argv, &step);
        else if (target == 2)
            (void)back_end_choose(&devices[random_below(3)], argv[word_count - 1]);
        else
            judge_device(devices, argv[word_count - 1]);
    }
    if (target == 0)
        judge(status, &options);
    must(status == 0 || status == 1 || status == 2 || status == 77, "exit status");
    return status;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                   most = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    uint64_t done = 0, understood = 0;
    FILE *result = fdopen(dup(1), "w"), *quiet = fopen("/dev/null", "w");
    state = seed * 2654435761u + 88172645463325252u;
    signal(SIGABRT, died), signal(SIGSEGV, died);
    if (!result || !quiet || !freopen("/dev/null", "w", stdout))
        return 2;
    loud = stderr;
    for (; done < most; done++) {
        char *given[WORDS + 1] = { NULL };
        make_words();
        for (int i = 0; i < word_count; i++)
            given[i] = words[i];
        stderr = quiet; // a refusal's line
        const uint32_t aim = random_below(8);
        understood += attempt(aim < 4 ? 0 : aim < 6 ? 1 : aim == 6 ? 2 : 3, given) == 0;
        stderr = loud;
    }
    fprintf(result, "seed %" PRIu64 ": %" PRIu64 " command lines, %" PRIu64 " understood\n", seed,
            done, understood);
    fclose(result), fclose(quiet);
    return 0;
}
