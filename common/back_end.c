/* The choice of a back end follows from what the device says; --subgroups forces another, for tests
 * and for curiosity.
 */
#include "back_end.h"

#include "plan.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARP = 32 };

/* On a CPU as many as a register holds ints, else 16; or the widest size below that; 0: there is no
 * choice. */
static unsigned preferred_lanes(const struct device *device)
{
    const size_t most = device->cpu && device->vector_ints > 1 ? device->vector_ints : 16;
    size_t best = 0;
    for (const size_t *size = device->sub_group_sizes; *size; size++)
        if (*size <= most && *size > best)
            best = *size;
    return (unsigned)best;
}

struct back_end back_end_choose(const struct device *device, const char *wanted)
{
    static const struct {
        const char *name, *option;
        bool new_words;
    } all[] = { { "intel", "INTEL", true },
                { "khr", "KHR", true },
                { "nvidia", "NVIDIA", false },
                { "local", "LOCAL", false } };
    // Some platforms announce cl_intel_subgroups without its block reads: only Intel's own is taken
    // at its word.
    bool intel = device->intel_sub_groups && device->intel_platform && preferred_lanes(device);
    const char *text = wanted                                    ? wanted
                       : intel                                   ? "intel"
                       : device->nvidia                          ? "nvidia"
                       : device->sub_groups && !device->emulated ? "khr"
                                                                 : "local";
    struct back_end chosen = { .name = NULL };
    const char *option = "";
    size_t length = strcspn(text, ":");
    for (int i = 0; i < 4; i++)
        if (strlen(all[i].name) == length && strncmp(text, all[i].name, length) == 0)
            chosen.name = all[i].name, chosen.new_words = all[i].new_words, option = all[i].option;
    char *end = NULL;
    unsigned long lanes = text[length] ? strtoul(text + length + 1, &end, 10) : 0;
    bool power_of_two = end && isdigit((unsigned char)text[length + 1]) && lanes > 0 &&
                        lanes <= 1024 && (lanes & (lanes - 1)) == 0;
    if (!chosen.name || (end && (*end || !power_of_two)))
        fail("--subgroups %s: must be intel, khr, nvidia or local, with :LANES behind it (a power "
             "of two) or not",
             text);

    if (strcmp(chosen.name, "nvidia") == 0) {
        chosen.lanes = WARP;
        chosen.why_not = !device->nvidia ? "not NVIDIA's OpenCL: --subgroups local stands in"
                         : lanes && lanes != WARP
                             ? "NVIDIA's sub-groups are warps, of 32 lanes always"
                             : NULL;
    } else if (strcmp(chosen.name, "khr") == 0) { // its lanes are the compiler's choice
        chosen.why_not =
            !device->sub_groups ? "no sub-groups on this device: --subgroups local stands in"
            : lanes
                ? "with khr the lanes are the compiler's choice: --subgroups khr, or intel:LANES"
                : NULL;
    } else if (strcmp(chosen.name, "local") == 0) {
        // A CPU without sub-groups runs its work-items one after the other: one lane is the best
        // order there.
        chosen.lanes = lanes ? lanes : device->gpu ? 32 : 1;
    } else {
        chosen.lanes = lanes ? lanes : preferred_lanes(device);
        chosen.why_not = device->intel_sub_groups
                             ? "no sub-groups of that many lanes on this device: --facts lists them"
                             : "no cl_intel_subgroups on this device: --subgroups local stands in";
        for (const size_t *size = device->sub_group_sizes; *size; size++)
            if (*size == chosen.lanes)
                chosen.why_not = NULL;
    }
    bool redux = strcmp(chosen.name, "nvidia") == 0 &&
                 device->nvidia >= 80; // an instruction that came with Ampere
    snprintf(chosen.options, sizeof chosen.options, " -D %s -D LANES=%u%s", option, chosen.lanes,
             redux ? " -D REDUX" : "");
    return chosen;
}

const char *atomics_for(const struct device *device, const struct operation *operation)
{
    // Capability bits of cl_ext_float_atomics, in global and in local memory; Debian 12's headers
    // do not name them yet.
    const cl_ulong can_add = 1 << 1 | 1 << 17, can_min_and_max = 1 << 2 | 1 << 18;
    bool sum = strcmp(operation->op, "sum") == 0, wide = operation->value_bytes == 8, native;

    if (operation->floating && !operation->has_index) {
        if (sum && device->nvidia >= (wide ? 60 : 30)) // compute capability: doubles from 6.0 on
            return "ptx";
        cl_ulong has = wide ? device->double_atomics : device->float_atomics,
                 wanted = sum ? can_add : can_min_and_max;
        // No CPU has an instruction for a minimum of floats: its runtime loops too, and pocl 5.0's
        // loop may never end.
        native = (has & wanted) == wanted && (sum || !device->cpu);
    } else {
        native =
            operation->commutative && (!wide || (sum ? device->atomics64 : device->atomics64_min));
    }
    return native ? "native" : wide && !device->atomics64 ? NULL : "exchange";
}

bool meets_in_word(const struct device *device, const struct operation *operation)
{
    bool sum = strcmp(operation->op, "sum") == 0;
    return operation->value_bytes == 4 && (!sum || (!operation->floating && device->atomics64));
}

void build_options(const struct run *run, bool partials, char options[BUILD_OPTIONS])
{
    const struct device *device = run->device;
    const struct variant *variant = run->variant;
    const struct back_end *back_end = &run->plan->back_end;
    const bool native = strcmp(run->plan->atomics, "native") == 0,
               ptx = strcmp(run->plan->atomics, "ptx") == 0;
    const bool sub_groups = variant->needs & SUB_GROUPS;
    const bool modern = (native && run->operation->floating) ||
                        (variant->needs & WORK_GROUP_REDUCE) || (sub_groups && back_end->new_words);

    snprintf(options, BUILD_OPTIONS, "-cl-std=CL%s -cl-kernel-arg-info %s -D WIDTH=%d%s%s%s%s%s %s",
             !modern || device->c_version < 200 ? "1.2"
             : device->c_version < 300          ? "2.0"
                                                : "3.0",
             run->operation->options, variant->width ? variant->width : 1,
             partials ? " -D PARTIALS" : "", sub_groups ? back_end->options : "",
             native ? " -D NATIVE_ATOMICS" : "", ptx ? " -D PTX_ATOMICS" : "",
             variant->needs & ONE_WORD ? " -D ONE_WORD" : "",
             variant->options ? variant->options : "");
}

/* ---- words for plans */
static size_t lanes_dividing(size_t group, size_t lanes) // lanes is a power of two
{
    return lanes < (group & (0 - group)) ? lanes
                                         : group & (0 - group); // the largest power of two in group
}

size_t lane_count(struct run *run, size_t group)
{
    struct plan *plan = run->plan;
    plan->asked |= ASKED_LANES;
    if (plan->back_end.why_not)
        unsupported(run, "%s", plan->back_end.why_not);
    return plan->lanes = lanes_dividing(group, plan->back_end.lanes ? plan->back_end.lanes : 1);
}

static bool stands_in(const struct run *run)
{
    return strcmp(run->plan->back_end.name, "local") == 0;
}

size_t sub_group_lanes(const struct run *run, size_t group)
{
    return stands_in(run) ? lanes_dividing(group, run->plan->lanes) : run->plan->lanes;
}

unsigned sub_group_barriers(const struct run *run)
{
    size_t lanes = run->plan->back_end.lanes;
    // The hardware's own lanes wait for nothing; the stand-in does LANES' rounds in smaller groups
    // too.
    return stands_in(run) && lanes > 1 ? 1 + ceil_log2(lanes) : 0;
}

unsigned tree_barriers(const struct run *run, size_t group)
{
    if (!(run->variant->needs & SUB_GROUPS))
        return UNKNOWN; // the built-in keeps its barriers to itself
    size_t lanes = sub_group_lanes(run, group), left = group / lanes;
    if (stands_in(run)) // by pairs
        return sub_group_barriers(run) + 1 + ceil_log2(left);
    unsigned rounds = 0; // of one lane there are none: group_size() has said no
    for (; left > 1 && lanes > 1; left = ceil_div(left, lanes))
        rounds++;
    return 2 * rounds;
}

void predict_one_launch(struct run *run, struct stage *only, unsigned width)
{
    bool sum = strcmp(run->operation->op, "sum") == 0, word = run->variant->needs & ONE_WORD;
    unsigned tree =
        run->variant->needs & SUB_GROUPS ? tree_barriers(run, only->group) : ceil_log2(only->group);

    predict_tree(only, width,
                 word ? tree
                      : UNKNOWN); // without a word the last group waits more often than the others
    if (only->groups > 1)
        only->global_atomics = !word ? 3 * only->groups + 1
                               : sum ? only->groups + 1
                                     : 2 * only->groups + 2;
}
